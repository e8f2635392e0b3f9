import { useState } from "preact/hooks";

const KEY = "vedette-theme";

/** Light or dark: that of the system, until another is chosen. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(current);
  const other = theme === "dark" ? "light" : "dark";
  const choose = () => {
    document.documentElement.dataset.theme = other;
    try {
      localStorage.setItem(KEY, other);
    } catch {
      // No storage: it holds until the page is closed.
    }
    setTheme(other);
  };
  return (
    <button type="button" class="icon-button" onClick={choose} title={`Use the ${other} theme`}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="10" cy="10" r="7" />
        <path d="M10 3a7 7 0 0 1 0 14z" />
      </svg>
      <span class="visually-hidden">{`Use the ${other} theme`}</span>
    </button>
  );
}

function current(): "light" | "dark" {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
