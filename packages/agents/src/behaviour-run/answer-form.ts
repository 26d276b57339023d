import { HTTPError, type Json } from '@waymark/contract';
import { readWholeSchema } from '@waymark/contract/declaring';
import { type InputError, toDetail } from '@waymark/contract/engine';
import { type StandardReading, type StandardSchema, validateStandard } from '@waymark/contract/schema';
import { exampleValues } from './example-values.ts';

/** What the answer to a question must be. */
export interface AnswerForm {
  /** JSON Schema, as models are given it. */
  readonly schema: object;
  /** The library's word on an answer, where a library has one. */
  readonly check?: (value: Json) => readonly InputError[];
  /** Makes of a stored answer what the behaviour is given: of the same answer the same, in each leg. */
  read(value: Json): Json;
}

/**
 * Reads the schema of a question.
 *
 * @throws {TypeError} nothing could be held to it
 */
export function toAnswerForm(given: object | undefined): AnswerForm | undefined {
  if (given === undefined) return undefined;
  const { schema, standard, faults } = readWholeSchema(given, 'input', 'the schema of the question');
  const [wrong] = faults;
  if (wrong) throw new TypeError(wrong.fix === undefined ? wrong.rule : `${wrong.rule}; ${wrong.fix}`);
  if (!standard) return { schema, read: (value) => value };
  for (const example of exampleValues(schema)) refuseWaiting(standard, example);
  return {
    schema,
    check(value) {
      const reading = readAtOnce(standard, value);
      return reading.ok ? [] : reading.errors;
    },
    read(value) {
      const reading = readAtOnce(standard, value);
      // The types of the behaviour say what a library makes of JSON; nothing here looks into it.
      if (reading.ok) return reading.value as Json;
      // Valid when it was stored: the schema is another one now.
      throw new HTTPError(502, `the answer is not valid: ${toDetail(reading.errors)}`, {
        code: 'no_valid_answer',
      });
    },
  };
}

/** Before the model is asked, so that nothing is paid for: a library says that it waits when it is asked about a value. */
function refuseWaiting(standard: StandardSchema, example: Json): void {
  let reading: unknown;
  try {
    reading = validateStandard(standard, example);
  } catch {
    // Its own code did not expect that. It is asked again about the answer.
    return;
  }
  if (reading instanceof Promise) throw waiting(reading);
}

function waiting(reading: Promise<unknown>): TypeError {
  // Nobody waits for what it says.
  reading.catch(() => undefined);
  return new TypeError('the schema of a question must not wait: it is asked again whenever the run goes on');
}

/** The steps of a run are given in the order of its journal, and a schema that waits would change it. */
function readAtOnce(standard: StandardSchema, value: Json): StandardReading {
  const reading = validateStandard(standard, value);
  if (!(reading instanceof Promise)) return reading;
  throw waiting(reading);
}
