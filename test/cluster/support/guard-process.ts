import { rmSync } from "node:fs";
import { endGroup } from "../../../local/child-process.ts";
import type { GuardWord } from "./guard.ts";

const groups = new Set<number>();
const folders = new Set<string>();

process.on("message", (word: GuardWord) => {
  const guarded = "add" in word ? word.add : word.remove;
  const change = "add" in word ? "add" : "delete";
  if ("group" in guarded) groups[change](guarded.group);
  else folders[change](guarded.folder);
});

process.once("disconnect", () => {
  for (const group of groups) endGroup(group);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit();
});
