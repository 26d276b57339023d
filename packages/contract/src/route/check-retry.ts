import { checkOptions, type Shapes, wellShaped } from '../declaring/check-options.ts';
import type { Fault, RuleBook } from '../declaring/rule-book.ts';
import type { Retry, Route } from './route.ts';

/** What holds for routes that are called again. */
export const retryRules = {
  'retry-range': 'A call is made 1 to 10 times in all, 1 to 60,000 ms after the one before it.',
  'retry-unsafe': 'A route that is called again is read-only or idempotent, or commits with its step.',
} as const satisfies RuleBook;

type RetryFault = Fault<keyof typeof retryRules>;

const retryShapes: Readonly<Record<keyof Retry, Shapes[string]>> = {
  attempts: 'number',
  backoffMs: 'number',
};

const maxAttempts = 10;
const maxBackoffMs = 60_000;
const defaultBackoffMs = 500;

/** The option with its defaults; what is wrong with it `checkRetry` says. */
export function toRetry(retry: Retry | undefined): Required<Retry> | undefined {
  if (!retry) return undefined;
  const { attempts = 1, backoffMs = defaultBackoffMs } = wellShaped(retry, retryShapes);
  return { attempts, backoffMs };
}

/** Finds what is wrong with the option, and routes that it is not for. */
export function checkRetry(
  retry: Retry | undefined,
  { readOnly, idempotent, engine }: Pick<Route, 'readOnly' | 'idempotent' | 'engine'>,
): readonly Fault[] {
  if (!retry) return [];
  const shaped = checkOptions(retry, retryShapes, 'retry.');
  if (shaped.length > 0) return shaped;
  const { attempts, backoffMs = defaultBackoffMs } = retry;
  const { durability } = engine;
  return [
    ...(isWithin(attempts, maxAttempts) ? [] : [outOfRange('attempts', maxAttempts)]),
    ...(isWithin(backoffMs, maxBackoffMs) ? [] : [outOfRange('backoffMs', maxBackoffMs)]),
    ...(durability === 'run' ? [ofRun] : []),
    ...(readOnly || idempotent || durability ? [] : [unsafe]),
  ];
}

function isWithin(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max;
}

function outOfRange(member: keyof Retry, max: number): RetryFault {
  const range = `a whole number from 1 to ${max.toLocaleString('en')}`;
  return { code: 'retry-range', rule: `retry.${member} is not ${range}`, fix: `write ${range}` };
}

const unsafe: RetryFault = {
  code: 'retry-unsafe',
  rule: 'it is called again, and is neither read-only nor idempotent',
  fix: 'write idempotent: true where its handler keeps to request.headers["idempotency-key"], or take retry out',
};

const ofRun: RetryFault = {
  code: 'retry-unsafe',
  rule: 'it is called again, and a run keeps how it ended',
  fix: 'take retry out, and give it to the tools of the run',
};
