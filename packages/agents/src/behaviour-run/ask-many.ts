import type { Json } from '@waymark/contract';
import type { AskManyOptions } from '../behaviour/behaviour-context.ts';
import { askQuestion } from './ask-question.ts';
import type { BehaviourWork } from './behaviour-work.ts';
import { requireQuestion } from './check-asked.ts';
import { firstFailure, type Settled, settle } from './settle.ts';

/** Questions under way at once, whatever is asked for. */
export const maxConcurrency = 64;

/**
 * Asks questions in their order, so many at once. The next one begins when an answer was given: answers are given in the
 * order of the journal, so each question has the same number again.
 *
 * @throws {TypeError} prompts, options or a concurrency that are none; then nothing is asked
 */
export async function askMany(
  prompts: readonly string[],
  given: AskManyOptions,
  work: BehaviourWork,
): Promise<readonly Json[]> {
  // With holes as undefined.
  if (!Array.isArray(prompts) || ![...prompts].every((one) => typeof one === 'string'))
    throw new TypeError('prompts are a list of texts');
  requireQuestion(given, { concurrency: 'any' });
  const { concurrency = 8, ...options } = given;
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new TypeError('the concurrency of askMany is a whole number from 1 on');
  const answers: Settled<Json>[] = [];
  let next = 0;
  const askOn = async (): Promise<void> => {
    for (let i = next++; i < prompts.length; i = next++)
      answers[i] = await settle(askQuestion(prompts[i] ?? '', options, work));
  };
  const lanes = Math.min(concurrency, maxConcurrency, prompts.length);
  await Promise.all(Array.from({ length: lanes }, askOn));
  const failure = firstFailure(answers);
  if (failure) throw failure.error;
  return answers.map((one) => (one.ok ? one.value : null));
}
