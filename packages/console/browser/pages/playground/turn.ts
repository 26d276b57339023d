import { type JsonObject, ProblemError, type RunEvent, type RunStep } from '@waymark/client-gen/runtime';

/** A picture that goes along with a turn. */
export interface Picture {
  readonly media_type: string;
  /** Base64. */
  readonly data: string;
}

/** A call that waits for a human before the run goes on. */
export interface OpenQuestion {
  readonly approval_id: string;
  readonly tool: string;
  readonly arguments: unknown;
}

/** What was asked, and what has come of it so far. */
export interface Turn {
  readonly key: string;
  readonly input: JsonObject;
  readonly pictures: readonly Picture[];
  readonly runId: string | undefined;
  readonly lastSeq: number;
  readonly steps: readonly RunStep[];
  /** What a model is writing now. */
  readonly text: string;
  readonly questions: readonly OpenQuestion[];
  readonly state: 'running' | 'waiting' | 'ended' | 'failed';
  /** The status of the run, and what it gave. */
  readonly result: unknown;
  readonly problem: string | undefined;
}

/** A turn that nothing has come of yet. */
export function beginTurn(key: string, input: JsonObject, pictures: readonly Picture[] = []): Turn {
  return {
    ...{ key, input, pictures, runId: undefined, lastSeq: 0, steps: [], text: '', questions: [] },
    ...{ state: 'running', result: undefined, problem: undefined },
  };
}

/** The turn after something was told of it. */
export function told(turn: Turn, event: RunEvent<unknown>): Turn {
  if (event.type === 'run') return { ...turn, runId: event.run_id };
  if (event.type === 'step') return toldStep(turn, event.step);
  if (event.type === 'delta')
    return { ...turn, text: (event.restart ? '' : turn.text) + (event.text ?? ''), state: 'running' };
  if (event.type === 'waiting') return { ...turn, state: 'waiting', questions: questionsOf(event) };
  const { result } = event;
  const status = statusOf(result);
  if (status === 'awaiting_approval' || status === 'waiting_provider')
    return { ...turn, state: 'waiting', text: '', questions: questionsOf(result) };
  return { ...turn, state: 'ended', text: '', questions: [], result };
}

/** The turn after its stream broke, or its run failed. */
export function failed(turn: Turn, error: unknown): Turn {
  const problem =
    error instanceof ProblemError
      ? [error.detail, ...error.errors.map(({ path, message }) => `${path} ${message}`)].join('\n')
      : 'The connection to the service was lost. The run may go on: look among the runs.';
  return { ...turn, state: 'failed', text: '', questions: [], problem };
}

/** What an ended turn says: the output of an agent, the value of a behaviour. */
export function outputOf({ result }: Turn): unknown {
  return isObject(result) && 'run_id' in result && 'output' in result ? result['output'] : result;
}

/** The status of what a run came to; a behaviour answers with its bare value. */
export function statusOf(result: unknown): string {
  return isObject(result) && 'run_id' in result && typeof result['status'] === 'string'
    ? result['status']
    : 'completed';
}

function toldStep(turn: Turn, step: RunStep): Turn {
  if (step.seq <= turn.lastSeq) return turn;
  const decided = step.kind === 'approval_decided' ? step['approval_id'] : undefined;
  const questions = turn.questions.filter(({ approval_id: id }) => id !== decided);
  return {
    ...turn,
    lastSeq: step.seq,
    steps: [...turn.steps, step],
    // What was being written is part of the step, or begins anew behind it.
    text: '',
    questions,
    state: questions.length === 0 ? 'running' : turn.state,
  };
}

function questionsOf(waiting: unknown): readonly OpenQuestion[] {
  const pending = isObject(waiting) ? waiting['pending_approvals'] : undefined;
  return Array.isArray(pending) ? (pending as readonly OpenQuestion[]) : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
