import { partnerFault } from '@waymark/contract/engine';
import type { AskContext } from './context.ts';
import type { Answer } from './exchange.ts';
import type { Failure } from './failure.ts';

/** Whoever has asked for so long, and hears nothing by its own deadline, has been kept waiting by the provider. */
const silentMs = 10_000;

/** Tells the provider of an attempt how it went, as far as that lies with the provider. */
export function tellPartner(
  provider: string,
  answer: Answer,
  startedMs: number,
  { partners, monotonic }: AskContext,
): void {
  const partner = partners.of(provider);
  if (answer.ok) {
    partner.answered();
    return;
  }
  const fault = faultOf(answer.failure, monotonic() - startedMs);
  if (fault !== undefined) partner.failed(fault);
}

/** A rate that is limited, a request that is refused and a key that is not set say nothing of the provider. */
function faultOf({ reason, status, cause, retry }: Failure, tookMs: number): string | undefined {
  if (reason === 'unavailable') return status === undefined ? partnerFault(cause) : `answers ${status}`;
  if (reason === 'key_refused') return 'refuses its key';
  if (reason === 'quota') return 'has no quota left';
  if (reason === 'malformed_reply') return 'answers with something that is no reply';
  if (reason !== 'timeout') return undefined;
  // Only a limit of its own is worth another attempt; the deadline of who asks may have been short.
  return retry || tookMs >= silentMs ? 'takes too long to answer' : undefined;
}
