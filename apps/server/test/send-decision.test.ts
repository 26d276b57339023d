import { describe, expect, it } from 'vitest';
import { sendDecision } from '../src/cli/chat/send-decision.ts';
import { Failure } from '../src/cli/output/failure.ts';

/** A server that answers with these one after the other; 0 is none at all. */
function answering(...statuses: readonly number[]) {
  const sent: string[] = [];
  const left = [...statuses];
  const send = async (path: string, request: RequestInit = {}): Promise<Response> => {
    sent.push(`${request.method} ${path} ${String(request.body)}`);
    const status = left.shift() ?? 0;
    if (status === 0) throw new Failure('nothing answers');
    return Response.json({ detail: 'so it is' }, { status });
  };
  return { sent, target: { send, controlPrefix: '/_svc' } };
}

const decision = { approve: true, note: 'fine' };

describe('sendDecision', () => {
  it('sends it again while nothing answers', async () => {
    const { sent, target } = answering(0, 0, 200);
    await sendDecision(target, 'a/1', decision, { pauseMs: 1 });
    const once = 'POST /_svc/approvals/a%2F1 {"approve":true,"note":"fine"}';
    expect(sent).toEqual([once, once, once]);
  });

  it('takes a conflict for no refusal where it may have arrived before', async () => {
    await sendDecision(answering(0, 409).target, 'a', decision, { pauseMs: 1 });
    await expect(sendDecision(answering(409).target, 'a', decision)).rejects.toThrow('409 so it is');
  });

  it('sends it again when its caller has asked too often', async () => {
    const { sent, target } = answering(429, 200);
    await sendDecision(target, 'a', decision, { pauseMs: 1 });
    expect(sent).toHaveLength(2);
    await expect(sendDecision(answering(429).target, 'a', decision, { tries: 1 })).rejects.toThrow(
      '429 so it is',
    );
  });

  it('gives up after its tries', async () => {
    const { sent, target } = answering();
    await expect(sendDecision(target, 'a', decision, { tries: 3, pauseMs: 1 })).rejects.toThrow(
      'nothing answers',
    );
    expect(sent).toHaveLength(3);
  });

  it('says when the key may not decide, and leaves how the run came out to its socket', async () => {
    await expect(sendDecision(answering(403).target, 'a', decision)).rejects.toThrow(
      'this key may not decide (403 so it is): somebody else has to',
    );
    await sendDecision(answering(500).target, 'a', decision);
  });
});
