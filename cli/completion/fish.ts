import { type CommandNode, type OptionNode, valueFlags } from "./command-nodes.ts";

/** The completion of fish: `vedette completion fish | source`. */
export function fishScript(places: readonly CommandNode[]): string {
  const paths = places.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(" ")));
  return `# vedette completion fish
function __vedette_at
    set -l place ""
    set -l before ""
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$place $word")
        if not contains -- "$before" ${valueFlags(places).join(" ")}; and contains -- "$next" ${paths.join(" ")}
            set place "$next"
        end
        set before "$word"
    end
    test "$place" = "$argv[1]"
end
complete -c vedette -f
${places.flatMap(linesOf).join("\n")}
`;
}

function linesOf({ path, commands, options, argument }: CommandNode): string[] {
  const at = `complete -c vedette -n ${quoted(`__vedette_at ${quoted(path.join(" "))}`)}`;
  const choices = argument.kind === "Choices" ? [`${at} -a ${quoted(argument.choices.join(" "))}`] : [];
  return [
    ...commands.map(({ name, summary }) => `${at} -a ${name} -d ${quoted(summary)}`),
    ...choices,
    ...(argument.kind === "Files" ? [`${at} -F`] : []),
    ...options.map((option) => `${at} ${optionOf(option)}`),
  ];
}

function optionOf({ flags, description, values }: OptionNode): string {
  const names = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const words = [...names, `-d ${quoted(description)}`];
  if (values?.kind === "Choices") words.push("-x", `-a ${quoted(values.choices.join(" "))}`);
  if (values?.kind === "Files") words.push("-r", "-F");
  if (values?.kind === "Any") words.push("-x");
  return words.join(" ");
}

const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
