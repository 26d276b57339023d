/** Replaces what HTML would take for its own. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const words =
  'as|async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|false|finally|for|from|function|if|import|in|instanceof|interface|let|new|null|of|readonly|return|satisfies|static|switch|this|throw|true|try|type|typeof|undefined|using|void|while|yield';

const strings = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`;

/** What has a colour, by language: each group of a pattern is one kind. */
const languages: Readonly<Record<string, string>> = {
  ts: String.raw`(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>${strings}|${'`'}(?:\\.|[^${'`'}\\])*${'`'})|(?<word>\b(?:${words})\b)|(?<number>\b\d[\d_.]*\b)`,
  json: String.raw`(?<string>${strings})|(?<word>\b(?:true|false|null)\b)|(?<number>-?\b\d[\d.eE+-]*\b)`,
  sh: String.raw`(?<comment>(?:^|(?<=\s))#.*)|(?<string>"(?:\\.|[^"\\])*"|'[^']*')|(?<word>\$\w+|\$\{[^}]*\})|(?<number>(?<=\s)--?[a-zA-Z][\w-]*)`,
  sql: String.raw`(?<comment>--.*)|(?<string>'[^']*')|(?<word>\b(?:select|from|where|insert|into|values|update|set|delete|create|table|order|by|limit|primary|key|not|null|and|or)\b)`,
  html: String.raw`(?<comment><!--[\s\S]*?-->)|(?<word>\{\{[\s\S]*?\}\})|(?<number><\/?[\w-]+|\/?>)|(?<string>"[^"]*")`,
  ini: String.raw`(?<comment>^\s*#.*)|(?<word>^\[.*\])|(?<number>^\w+(?==))`,
};

const aliases: Readonly<Record<string, string>> = {
  ...{ tsx: 'ts', js: 'ts', mjs: 'ts', bash: 'sh', hbs: 'html', caddy: 'sh', nginx: 'sh' },
  ...{ systemd: 'ini', dockerfile: 'sh', yaml: 'sh' },
};

/** Code as HTML, with its comments, texts and words marked where the language is known. */
export function highlight(code: string, language: string): string {
  const pattern = languages[aliases[language] ?? language];
  if (pattern === undefined) return escapeHtml(code);
  let out = '';
  let at = 0;
  for (const match of code.matchAll(new RegExp(pattern, 'gm'))) {
    const [kind = ''] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    out += `${escapeHtml(code.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return out + escapeHtml(code.slice(at));
}
