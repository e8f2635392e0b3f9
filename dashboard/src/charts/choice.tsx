interface Shown<Value extends string> {
  /** What is chosen, for those who hear the page. */
  legend: string;
  name: string;
  choices: readonly (readonly [value: Value, label: string])[];
  value: NoInfer<Value>;
  onChange(value: NoInfer<Value>): void;
}

/** One of a few, side by side. */
export function Choice<Value extends string>({ legend, name, choices, value, onChange }: Shown<Value>) {
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{legend}</legend>
      {choices.map(([one, label]) => (
        <label key={one}>
          <input type="radio" name={name} value={one} checked={one === value} onChange={() => onChange(one)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
