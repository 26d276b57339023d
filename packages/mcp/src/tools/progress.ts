import type { Progress } from '@waymark/contract';
import { isRecord, type RpcRequest } from '../protocol/envelope.ts';
import { metaOf } from '../protocol/request-meta.ts';

/** What a client calls the progress of one of its requests. */
type ProgressToken = string | number;

/** The longest token that is told of progress, in characters: each notification repeats it. */
export const maxTokenLength = 128;

/** The token of a request whose client wants to hear of progress. */
export function progressTokenOf(request: Pick<RpcRequest, 'params'>): ProgressToken | undefined {
  const token = metaOf(request)?.['progressToken'];
  // One that was rounded would be another's, and an infinite one is written as null.
  if (typeof token === 'number') return Number.isFinite(token) ? token : undefined;
  return typeof token === 'string' && token.length <= maxTokenLength ? token : undefined;
}

/** What a notification of progress says. */
interface Told {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/**
 * Turns what a call reports into notifications. MCP wants each to be further than the one before: what is not is left
 * out. Steps of a run count as one each; pieces of a text are no progress.
 *
 * @param tell takes JSON; must return at once and never throw
 */
export function progressNotifier(
  progressToken: ProgressToken,
  tell: (message: string) => void,
): (progress: Progress) => void {
  let reached = Number.NEGATIVE_INFINITY;
  return (progress) => {
    const told = toTold(progress, reached);
    if (!told || told.progress <= reached) return;
    reached = told.progress;
    tell(
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, ...told },
      }),
    );
  };
}

/** Handlers in JavaScript may yield anything. */
function toTold(progress: unknown, reached: number): Told | undefined {
  const { event, data } = isRecord(progress) ? progress : {};
  if (event === 'progress' && isRecord(data)) return ofProgress(data);
  if (event !== 'step') return undefined;
  const message = isRecord(data) ? [data['kind'], data['tool']].filter(isText).join(' ') : '';
  return { progress: Math.max(reached, 0) + 1, ...(message !== '' && { message }) };
}

function ofProgress({ done, total, message }: Readonly<Record<string, unknown>>): Told | undefined {
  if (!isAmount(done)) return undefined;
  return {
    progress: done,
    ...(isAmount(total) && { total }),
    ...(isText(message) && { message }),
  };
}

function isAmount(value: unknown): value is number {
  return Number.isFinite(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
