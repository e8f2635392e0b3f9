// Before the first paint, so that a theme that was chosen does not flash the other one.
try {
  const theme = localStorage.getItem("vedette-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the theme of the system it is.
}
