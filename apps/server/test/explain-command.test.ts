import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { declarationRules } from '../src/check/declaration-rules.ts';
import type { Explanation } from '../src/cli/explain/explanation.ts';
import { inFolder, waymark } from './command-line.ts';

const codes = Object.keys(declarationRules).toSorted();

describe('waymark explain', () => {
  it('has a page for every rule, with its sentence, a program that breaks it and what is reported', async () => {
    verifies('cli.explain');
    // There is no application here, and nothing to ask.
    inFolder();
    const { code, out, err } = await waymark('explain', ...codes);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const [rule, text] of Object.entries(declarationRules)) {
      const [, page = ''] = out.split(new RegExp(`^${rule}  \\(`, 'm'));
      expect(page).toMatch(/^\w+; (the server does not start|a warning; the server starts)\)\n/);
      expect(page).toContain(`\n  ${text}\n\nThis breaks it:\n\n    import `);
      expect(page).toMatch(/\n\nWhat is reported:\n\n {4}\S.*\n/);
    }
  });

  it('shows one page: rule, program, report and what to write', async () => {
    expect(await waymark('explain', 'unknown-tool')).toEqual({
      ...{ code: 0, err: '' },
      out: `unknown-tool  (agents; the server does not start)

  ${declarationRules['unknown-tool']}

This breaks it:

    import { createApplication } from '@waymark/server';

    const app = createApplication('shop');
    app.get('/maps', { tool: true, toolName: 'maps', summary: 'Lists maps.' }, () => []);
    // wrong:
    app.agent('support', { description: 'Helps.', tools: ['mpas'], public: true });

What is reported:

    agent "support": unknown tool "mpas" (did you mean "maps"?)

To mend it here:

    write "maps"
`,
    });
  });

  it('shows the files that a program needs besides', async () => {
    const { out } = await waymark('explain', 'template-partial');
    expect(out).toContain("templates: 'templates'");
    expect(out).toContain('With templates/board.hbs:\n\n    <nav></nav>\n    {{> ticket-row}}\n');
  });

  it('lists every code with its rule, and gives all of it as JSON', async () => {
    const { out } = await waymark('explain', '--list');
    expect(out.trimEnd().split('\n')).toHaveLength(codes.length + 1);
    for (const code of codes) expect(out).toMatch(new RegExp(`^${code} +\\w+ +[A-Z].*\\.$`, 'm'));
    const { rules } = JSON.parse((await waymark('explain', '--list', '--json')).out) as {
      readonly rules: readonly Explanation[];
    };
    expect(rules.map(({ code }) => code)).toEqual(codes);
    const one = await waymark('explain', 'unknown-tool', '--json');
    expect(JSON.parse(one.out)).toEqual({ rules: rules.filter(({ code }) => code === 'unknown-tool') });
  });

  it.each([
    [['unknown-tol'], 'unknown rule "unknown-tol"; did you mean "unknown-tool"?'],
    [
      ['tool-nam'],
      'unknown rule "tool-nam"; did you mean "tool-name-form" or "tool-name-length" or "tool-name-taken"?',
    ],
    [
      ['status-of-pages'],
      'unknown rule "status-of-pages"; did you mean "output-status" or "page-status" or "static-status"?',
    ],
    [['qqq'], 'unknown rule "qqq"'],
    [['constructor'], 'unknown rule "constructor"'],
    [[], 'which code? waymark explain --list has all of them'],
    [['unknown-tool', '--list'], '--list goes without a code'],
  ])('ends with 2 and says what is meant: %j', async (argv, words) => {
    verifies('cli.nearest');
    expect(await waymark('explain', ...argv)).toEqual({
      ...{ code: 2, out: '' },
      err: `${words}\nwaymark --help shows what there is\n`,
    });
  });
});

describe('what reports a broken rule', () => {
  const wrong = `import { createApplication } from '@waymark/server';
export const application = createApplication('shop', { env: {} });
application.cors(['https://*.example.com']).upstream('desk', 'no url');
application.cors(['https://*.example.org']);
`;

  it.each([
    ['check', 'out'],
    ['start', 'err'],
    ['security', 'err'],
  ] as const)('names what explains it, each code once: %s', async (command, stream) => {
    verifies('cli.explain.named');
    inFolder({ 'application.ts': wrong });
    const printed = await waymark(command);
    expect(printed.code).toBe(78);
    const [, words = ''] = /^ *more: waymark (explain .+)$/m.exec(printed[stream]) ?? [];
    expect(words).toBe('explain cors-origin upstream-url');
    expect((await waymark(...words.split(' '))).code).toBe(0);
  });

  it('names none where nothing is wrong', async () => {
    inFolder({
      'application.ts': `import { createApplication } from '@waymark/server';
export const application = createApplication('shop', { env: {} });
`,
    });
    const { code, out } = await waymark('check');
    expect(code).toBe(0);
    expect(out).toContain('0 problems, ');
    expect(out).not.toContain('explain');
  });
});
