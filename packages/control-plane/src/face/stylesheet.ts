/** The stylesheet of the service's own pages: light and dark, from a phone to a wide screen. */
export const stylesheet = `:root {
  color-scheme: light dark;
  --ground: #f4f6f8;
  --surface: #fff;
  --text: #1a2330;
  --quiet: #54606f;
  --line: #d3dae2;
  --accent: #1257c2;
  --on-accent: #fff;
  --wrong: #a3231b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #10151c;
    --surface: #19202a;
    --text: #e8edf4;
    --quiet: #a5b1c0;
    --line: #374352;
    --accent: #8ab8ff;
    --on-accent: #0b1a30;
    --wrong: #ffb4ab;
  }
}
*, *::before, *::after { box-sizing: border-box; }
body {
  margin: 0;
  min-height: 100vh;
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.6 system-ui, sans-serif;
}
a { color: var(--accent); text-underline-offset: 0.2em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
header {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  justify-content: space-between;
  gap: 0 1.5rem;
  padding: 0.6rem clamp(1rem, 4vw, 2.5rem);
  background: var(--surface);
  border-bottom: 1px solid var(--line);
}
header p { margin: 0; color: var(--quiet); overflow-wrap: anywhere; }
.brand {
  padding: 0.4rem 0;
  color: inherit;
  font-weight: 700;
  text-decoration: none;
  overflow-wrap: anywhere;
}
main {
  width: min(100% - 2rem, 36rem);
  margin: clamp(1.25rem, 8vh, 5rem) auto 3rem;
  padding: clamp(1.25rem, 5vw, 2.25rem);
  background: var(--surface);
  border: 1px solid var(--line);
  border-radius: 14px;
}
h1 { margin: 0 0 0.75rem; font-size: clamp(1.4rem, 1.1rem + 1.5vw, 1.8rem); line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 1.75rem 0 0.25rem; font-size: 1.05rem; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
p:last-child { margin-bottom: 0; }
.quiet { color: var(--quiet); }
.wrong { color: var(--wrong); font-weight: 600; }
ul { margin: 0 0 1rem; padding-inline-start: 1.25rem; overflow-wrap: anywhere; }
form { margin: 1.25rem 0 0; }
label { display: block; font-weight: 600; margin-bottom: 0.35rem; }
input {
  width: 100%;
  padding: 0.65rem 0.75rem;
  border: 1px solid var(--quiet);
  border-radius: 8px;
  background: var(--ground);
  color: inherit;
  font: inherit;
}
.hint { margin: 0.4rem 0 1.1rem; color: var(--quiet); font-size: 0.9rem; }
button, .button {
  display: inline-block;
  padding: 0.6rem 1.4rem;
  border: 1px solid var(--accent);
  border-radius: 8px;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  text-decoration: none;
  cursor: pointer;
}
.plain { background: transparent; color: var(--accent); }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 1.5rem 0; }
.actions form { margin: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; margin: 1.5rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: 0.9rem; }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: 0.92em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
@media (prefers-contrast: more) { :root { --quiet: var(--text); --line: currentcolor; } }
@media print { header, .actions { display: none; } }
`;
