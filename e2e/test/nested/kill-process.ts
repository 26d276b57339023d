/**
 * One process of a series that plays a nesting.
 *
 *     node --conditions=@waymark/source kill-process.ts <database> <journal> <shape> <policy> <point> <name>
 */
import { liveUntilKilled } from '../kills/live-until-killed.ts';
import { boss } from '../runs/engine.ts';
import { decisionOf, type Policy } from './endure.ts';
import { nestedShapes } from './shapes.ts';

const [file = '', journal = '', shapeAt = '', policy = '', point = '', name = ''] = process.argv.slice(2);
const shape = nestedShapes[Number(shapeAt)];
if (!shape) throw new Error(`no shape ${shapeAt}`);
const inSession = shape.input?.['session_id'] !== undefined;

// Each process has an opinion of its own.
let nth = Number(name);
await liveUntilKilled({
  ...{ file, journal, point: Number(point), name: Number(name), shape },
  input: { ...shape.input, ...(inSession && { session_id: name }) },
  async decide({ runner }, store) {
    const roots = await store.list({ statuses: ['waiting'], limit: 1 });
    const { approvals } = await store.load(roots[0]?.runId ?? '');
    if (!approvals.some(({ status }) => status === 'pending')) return;
    const { approvalId, approve } = decisionOf(approvals, policy as Policy, nth++);
    await runner.decide(approvalId, { approve, note: 'so be it', by: boss });
  },
});
