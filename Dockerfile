# The agent. TypeScript runs as it is (Node strips the types), so there is no build step.
FROM node:24-alpine
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force
COPY LICENSE ./
COPY shared shared
COPY agent agent
# A number, so that Kubernetes can see that it is not root.
USER 65532:65532
EXPOSE 8788 8790 8753/udp 8753/tcp
CMD ["node", "agent/main.ts"]
