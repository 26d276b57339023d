import type { Quirk } from '../quirks.ts';
import type { Conversation, Turn } from '../request/conversation.ts';
import type { Directive, Failure, Part, Setting, UsageSetting } from './directive.ts';
import { parseDirective, verbs } from './parse-directive.ts';
import { scanDirectives } from './scan-directives.ts';

/** What the directives of a conversation say about the turn that is due now. */
export interface Script {
  /** What goes wrong before the turn, in this order. */
  readonly failures: readonly Failure[];
  /** What the turn consists of; empty when the model has to think of something itself. */
  readonly parts: readonly Part[];
  readonly settings: Settings;
}

/** What holds for every request of a script. */
export interface Settings {
  readonly latencyMs: number;
  /** Between two events of a stream. */
  readonly paceMs: number;
  readonly usage: UsageSetting;
  readonly quirks: ReadonlySet<Quirk>;
  /** Tokens that fit into a prompt; null is any number. */
  readonly window: number | null;
}

interface Step {
  readonly failures: Failure[];
  readonly parts: Part[];
}

/**
 * Reads the script of a conversation.
 *
 * It is the newest user text that has directives; of those of the system text the settings hold as well, and the steps
 * when the user gives none. The step for now is found by counting the assistant's turns since that user's.
 *
 * @param override what the program that started the simulator wants for this one request instead
 * @throws {Refusal} when a directive is wrong
 */
export function readScript(conversation: Conversation, override?: string): Script {
  const system = directivesOf(conversation.system);
  const from = conversation.turns.findLastIndex(
    (turn) => turn.role === 'user' && scanDirectives(turn.text, verbs).directives.length > 0,
  );
  const user = from < 0 ? [] : directivesOf(userText(conversation.turns[from]));
  const extra = override === undefined ? [] : directivesOf(override);
  const settings = toSettings([...system, ...user, ...extra]);
  const overriding = toSteps(extra)[0];
  if (overriding) return { ...overriding, settings };
  if (override !== undefined && extra.length === 0) {
    return { failures: [], parts: [{ kind: 'say', text: override }], settings };
  }
  const scripted = toSteps(user).length > 0;
  const since = scripted ? from : newestUserTurn(conversation.turns);
  const done = conversation.turns.slice(since + 1).filter(({ role }) => role === 'assistant').length;
  const source = scripted ? user : system;
  const steps = toSteps(source);
  const repeats = source.some(({ directive }) => directive.kind === 'repeat') && steps.length > 0;
  const step = steps[repeats ? done % steps.length : done];
  return { failures: [], parts: [], ...step, settings };
}

/** A text without its directives. */
export function withoutDirectives(text: string): string {
  return scanDirectives(text, verbs).plain;
}

/** Where the newest text of the user begins that is not the continuation of a tool's result; -1 without any. */
function newestUserTurn(turns: readonly Turn[]): number {
  return turns.findLastIndex(({ role }, at) => role === 'user' && turns[at - 1]?.role !== 'tool');
}

interface Placed {
  readonly directive: Directive;
  readonly joined: boolean;
}

function directivesOf(text: string): Placed[] {
  return scanDirectives(text, verbs).directives.map(({ verb, rest, joined }) => ({
    directive: parseDirective(verb, rest),
    joined,
  }));
}

function userText(turn: Turn | undefined): string {
  return turn?.role === 'user' ? turn.text : '';
}

/** Failures belong to the step after them, parts to their own or, joined, to the one before. */
function toSteps(placed: readonly Placed[]): Step[] {
  const steps: Step[] = [];
  let failures: Failure[] = [];
  for (const { directive, joined } of placed) {
    const last = steps.at(-1);
    if (isFailure(directive)) failures.push(directive);
    else if (isSetting(directive)) continue;
    else if (joined && last && failures.length === 0) last.parts.push(directive);
    else {
      steps.push({ failures, parts: [directive] });
      failures = [];
    }
  }
  return failures.length > 0 ? [...steps, { failures, parts: [] }] : steps;
}

function toSettings(placed: readonly Placed[]): Settings {
  const quirks = new Set<Quirk>();
  let settings: Settings = { latencyMs: 0, paceMs: 0, usage: { form: 'counted' }, quirks, window: null };
  for (const { directive } of placed) {
    if (directive.kind === 'latency') settings = { ...settings, latencyMs: directive.ms };
    if (directive.kind === 'pace') settings = { ...settings, paceMs: directive.ms };
    if (directive.kind === 'usage') settings = { ...settings, usage: directive.usage };
    if (directive.kind === 'window') settings = { ...settings, window: directive.tokens };
    if (directive.kind === 'quirk') for (const quirk of directive.quirks) quirks.add(quirk);
  }
  return settings;
}

function isFailure(directive: Directive): directive is Failure {
  return ['error', 'hang', 'cut', 'malformed'].includes(directive.kind);
}

function isSetting(directive: Directive): directive is Setting {
  return ['latency', 'pace', 'usage', 'quirk', 'window', 'repeat'].includes(directive.kind);
}
