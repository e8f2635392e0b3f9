// Before the first paint, so that a theme that was chosen does not flash the other one.
try {
  const theme = localStorage.getItem("vedette-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the theme of the system it is.
}

// A script of the page that does not come through, or is of a version that has just been replaced, would leave nothing to see.
addEventListener(
  "error",
  ({ target }) => {
    const app = document.getElementById("app");
    if (!(target instanceof HTMLScriptElement) || app === null || app.hasChildNodes()) return;
    const words = document.createElement("p");
    words.setAttribute("role", "alert");
    words.textContent =
      "The page could not be loaded. DNS goes on with what was last decided; vedette status shows it in a terminal. ";
    const again = document.createElement("a");
    again.href = location.href;
    again.textContent = "Load it again";
    words.append(again);
    app.append(words);
  },
  true,
);
