/**
 * One process of a series that plays a shape.
 *
 *     node --conditions=@waymark/source kill-process.ts <database> <journal> <shape> <policy> <point> <name>
 */
import { liveUntilKilled } from '../kills/live-until-killed.ts';
import { boss } from './engine.ts';
import { shapes } from './shapes.ts';

const [file = '', journal = '', shapeAt = '', policy = '', point = '', name = ''] = process.argv.slice(2);
const shape = shapes[Number(shapeAt)];
if (!shape) throw new Error(`no shape ${shapeAt}`);

await liveUntilKilled({
  ...{ file, journal, point: Number(point), name: Number(name), shape },
  input: shape.input && { ...shape.input, session_id: name },
  async decide({ runner }, store) {
    const pending = await store.approvals({ status: 'pending', limit: 100 });
    const one = policy === 'approve-last' ? pending.at(-1) : pending[0];
    if (!one) return;
    const { status } = (await store.list({ limit: 500 })).find(({ runId }) => runId === one.rootId) ?? {};
    if (status === 'waiting')
      await runner.decide(one.approvalId, { approve: policy !== 'deny', note: 'so be it', by: boss });
  },
});
