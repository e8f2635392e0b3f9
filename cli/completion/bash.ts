import { type CommandNode, type Values, valueFlags } from "./command-nodes.ts";

/** The completion of bash 4.4 and later: `source <(vedette completion bash)`. */
export function bashScript(places: readonly CommandNode[]): string {
  const paths = places.filter(({ path }) => path.length > 0).map(({ path }) => `"${path.join(" ")}"`);
  return `# vedette completion bash
_vedette() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path="" words="" next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i-1]}" in
      ${valueFlags(places).join("|")}) continue ;;
    esac
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in
      ${paths.join("|")}) path="$next" ;;
    esac
  done
  COMPREPLY=()
  case "$path:$before" in
${places.flatMap(valueCases).join("\n")}
  esac
  case "$path" in
${places.map(placeCase).join("\n")}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
_vedette_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}
complete -F _vedette vedette
`;
}

function valueCases({ path, options }: CommandNode): string[] {
  return options.flatMap(({ flags, values }) => {
    if (values === undefined) return [];
    const patterns = flags.map((flag) => `"${path.join(" ")}:${flag}"`).join("|");
    return [`    ${patterns}) ${answerOf(values)}return ;;`];
  });
}

function answerOf(values: Values): string {
  switch (values.kind) {
    case "Choices":
      return `mapfile -t COMPREPLY < <(compgen -W "${values.choices.join(" ")}" -- "$current"); `;
    case "Files":
      return `_vedette_files "$current"; `;
    case "Any":
      return "";
  }
}

function placeCase({ path, commands, options, argument }: CommandNode): string {
  const choices = argument.kind === "Choices" ? argument.choices : [];
  const words = [...commands.map(({ name }) => name), ...choices, ...options.flatMap(({ flags }) => flags)];
  const files = argument.kind === "Files" ? `[[ $current == -* ]] || { _vedette_files "$current"; return; }; ` : "";
  return `    "${path.join(" ")}") ${files}words="${words.join(" ")}" ;;`;
}
