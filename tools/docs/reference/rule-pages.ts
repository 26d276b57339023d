import { readExplanations } from '../../../apps/server/src/cli/explain/explanation.ts';
import { type Page, toPage } from '../page.ts';

/** A page for each rule of declarations, and the list that leads to them. They say what `waymark explain` says. */
export function rulePages(): readonly Page[] {
  const rules = readExplanations();
  const kinds = [...new Set(rules.map(({ about }) => about))].toSorted();
  const list = kinds.map((kind) => {
    const rows = rules
      .filter(({ about }) => about === kind)
      .map(({ code, rule }) => `| [\`${code}\`](rules/${code}.md) | ${cell(rule)} |`);
    return `## ${kind[0]?.toUpperCase()}${kind.slice(1)}\n\n| code | rule |\n|---|---|\n${rows.join('\n')}\n`;
  });
  const head = `# Rules of declarations

A declaration that breaks one of these ${rules.length} rules is reported before anything is served: with its file and line, what is wrong, the name that was probably meant, and what to write. \`npx waymark explain <code>\` shows the page of a code in a terminal, without a network.
`;
  return [
    toPage({ path: 'reference/rules', section: 'Reference', markdown: [head, ...list].join('\n') }),
    ...rules.map(({ code, about, severity, rule, example, files = {}, report, fix }) =>
      toPage({
        path: `reference/rules/${code}`,
        section: 'Reference',
        unlisted: true,
        markdown: [
          `# ${code}`,
          rule,
          severity === 'error'
            ? 'A declaration that breaks this rule keeps the server from starting.'
            : 'This is a warning: the server starts.',
          '## A program that breaks it',
          fence('ts', example),
          ...Object.entries(files).map(([path, text]) => `${fence(`hbs ${path}`, text)}`),
          '## What is reported',
          fence('text', report),
          ...(fix === undefined ? [] : ['## How to mend it', `Here: ${fix}.`]),
          `It is one of the [rules](../rules.md#${about}) of ${about}; \`npx waymark explain ${code}\` shows this page in a terminal.`,
        ].join('\n\n'),
      }),
    ),
  ];
}

function fence(info: string, text: string): string {
  return `\`\`\`${info}\n${text.trimEnd()}\n\`\`\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
