import { type CommandNode, type Values, valueFlags } from "./command-nodes.ts";

/** The completion of zsh: sourced after compinit, or as a file `_vedette` in a folder of `$fpath`. */
export function zshScript(places: readonly CommandNode[]): string {
  const paths = places.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(" ")));
  return `#compdef vedette
_vedette() {
  local place="" next i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "\${words[i-1]}" in
      ${valueFlags(places).join("|")}) continue ;;
    esac
    next="\${place:+$place }\${words[i]}"
    case "$next" in
      ${paths.join("|")}) place="$next" ;;
    esac
  done
  case "$place:\${words[CURRENT-1]}" in
${places.flatMap(valueCases).join("\n")}
  esac
  case "$place" in
${places.map(placeCase).join("\n")}
  esac
}
if [[ "\${funcstack[1]}" = _vedette ]]; then _vedette "$@"; else compdef _vedette vedette; fi
`;
}

function valueCases({ path, options }: CommandNode): string[] {
  return options.flatMap(({ flags, values }) => {
    if (values === undefined) return [];
    const patterns = flags.map((flag) => quoted(`${path.join(" ")}:${flag}`)).join("|");
    return [`    ${patterns}) ${answerOf(values)}; return ;;`];
  });
}

function answerOf(values: Values): string {
  switch (values.kind) {
    case "Choices":
      return `compadd -- ${values.choices.map(quoted).join(" ")}`;
    case "Files":
      return "_files";
    case "Any":
      return "_message value";
  }
}

function placeCase({ path, commands, options, argument }: CommandNode): string {
  const flags = options.flatMap(({ flags: all, description }) => all.map((flag) => described(flag, description)));
  const steps = [
    ...(commands.length > 0
      ? [
          describe(
            "command",
            commands.map(({ name, summary }) => described(name, summary)),
          ),
        ]
      : []),
    ...(argument.kind === "Any" ? [] : [answerOf(argument)]),
    `[[ \${words[CURRENT]} == -* ]] && { ${describe("option", flags)} }`,
  ];
  return `    ${quoted(path.join(" "))})\n${steps.map((step) => `      ${step}`).join("\n")}\n      ;;`;
}

const describe = (what: string, entries: readonly string[]) => `found=(${entries.join(" ")}); _describe ${what} found;`;

const described = (word: string, meaning: string) => quoted(`${word}:${meaning}`);

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
