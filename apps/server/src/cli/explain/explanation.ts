import { readFileSync } from 'node:fs';
import { nearest } from '@waymark/contract/declaring';
import { UsageError } from '../output/usage-error.ts';
import { ownPath } from '../own-package.ts';

/** What there is to know of one rule of declarations. Made of the rule books and of the programs that break each rule. */
export interface Explanation {
  /** The rule in a stable word: `unknown-tool`. */
  readonly code: string;
  /** Which kind of declaration it is about: `agents`. */
  readonly about: string;
  /** An error keeps a server from starting. */
  readonly severity: 'error' | 'warning';
  /** What is asked of a declaration, in a sentence. */
  readonly rule: string;
  /** A program that breaks it. */
  readonly example: string;
  /** Files besides the program, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
  /** How that is reported, without its place. */
  readonly report: string;
  /** What to write instead, in the example. */
  readonly fix?: string;
}

/** The pages of all rules, sorted by code; `npm run explanations` writes them. */
export function readExplanations(): readonly Explanation[] {
  const { rules } = JSON.parse(readFileSync(ownPath('explanations.json'), 'utf8')) as {
    readonly rules: readonly Explanation[];
  };
  return rules;
}

/** Finds the page of a code. @throws {UsageError} there is none, with the codes that look like it */
export function explanationOf(code: string, all: readonly Explanation[]): Explanation {
  const found = all.find((one) => one.code === code);
  if (found) return found;
  const close = nearCodes(
    code,
    all.map((one) => one.code),
  );
  const hint = close.length === 0 ? '' : `; did you mean ${close.map((one) => `"${one}"`).join(' or ')}?`;
  throw new UsageError(`unknown rule "${code}"${hint}`);
}

/** Codes worth offering for one that is misspelt. */
const offered = 3;

/** The code that is spelt most like it, or else those that begin like it, or that share most of its words. */
function nearCodes(code: string, codes: readonly string[]): readonly string[] {
  const close = nearest(code, codes);
  if (close !== undefined) return [close];
  const longer = codes.filter((one) => one.startsWith(code));
  if (longer.length > 0) return longer.slice(0, offered);
  const words = code.toLowerCase().split(/[^a-z]+/);
  const shared = (one: string): number => one.split('-').filter((word) => words.includes(word)).length;
  return codes
    .filter((one) => shared(one) > 0)
    .toSorted((a, b) => shared(b) - shared(a))
    .slice(0, offered);
}
