import { render } from "preact";
import { follow } from "./api/store.ts";
import { App } from "./app.tsx";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/marks.css";
import "./ui/shell.css";
import "./ui/states.css";

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
follow();
