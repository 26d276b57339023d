import { createRequire } from 'node:module';
import type Handlebars from 'handlebars';
import type { TemplateFault } from './template-fault.ts';

const load = createRequire(import.meta.url);

/** A template as its tree, or why there is none. */
export type ParsedTemplate =
  | { readonly ok: true; readonly tree: hbs.AST.Program }
  | { readonly ok: false; readonly fault: TemplateFault };

/** Bytes of one template. */
const maxTemplateBytes = 1_048_576;

/** Levels of blocks, partials and expressions inside each other. */
export const maxTemplateDepth = 100;

/** Parses one template. */
export function parseTemplate(source: string): ParsedTemplate {
  const size = Buffer.byteLength(source);
  if (size > maxTemplateBytes)
    return failed(
      'template-size',
      1,
      `it has ${size} bytes, more than 1 MB`,
      'move parts of it into partials',
    );
  const deep = lineTooDeep(source);
  if (deep !== undefined)
    return failed(
      'template-size',
      deep,
      `it has more than ${maxTemplateDepth} levels`,
      'move the inner ones into partials',
    );
  try {
    return { ok: true, tree: (load('handlebars') as typeof import('handlebars')).parse(source) };
  } catch (error) {
    const { message, lineNumber } = error as InstanceType<typeof Handlebars.Exception>;
    return failed('template-syntax', toLine(message, lineNumber), toRule(message), toFix(message));
  }
}

function failed(code: TemplateFault['code'], line: number, rule: string, fix: string): ParsedTemplate {
  return { ok: false, fault: { code, line, rule, fix } };
}

/** Looked at before parsing: the parser takes half a minute for 5,000 levels, measured, and then fails. */
function lineTooDeep(source: string): number | undefined {
  const text = source.replace(/\{\{~?!--[\s\S]*?--~?\}\}/g, (comment) => comment.replace(/[^\n]/g, ' '));
  let depth = 0;
  for (const { 0: brace, index } of text.matchAll(/\{\{~?[#/]/g)) {
    depth += brace.endsWith('#') ? 1 : -1;
    if (depth > maxTemplateDepth) return text.slice(0, index).split('\n').length;
  }
  return undefined;
}

function toLine(message: string, lineNumber: unknown): number {
  if (typeof lineNumber === 'number') return lineNumber;
  return Number(/^Parse error on line (\d+)/.exec(message)?.[1] ?? 1);
}

const mismatch = /^(.*) doesn't match (.*) - \d+:\d+$/;

/** The parser's words are for those who know its grammar; the text it stands at is for everybody. */
function toRule(message: string): string {
  const [, open, close] = mismatch.exec(message) ?? [];
  if (open !== undefined) return `{{#${open}}} is closed by {{/${close}}}`;
  const [first = '', near = ''] = message.split('\n');
  if (!first.startsWith('Parse error')) return `it does not parse: ${first}`;
  return message.endsWith("got 'EOF'")
    ? 'it ends before everything in it is closed'
    : `it does not parse near ${JSON.stringify(near.slice(-40))}`;
}

function toFix(message: string): string {
  const [, open] = mismatch.exec(message) ?? [];
  if (open !== undefined) return `write {{/${open}}}`;
  return message.endsWith("got 'EOF'") ? 'close {{ with }}, and {{#name}} with {{/name}}' : 'correct it';
}
