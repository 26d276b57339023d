import { type FlowOptions, flow } from '../src/index.ts';

flow('chain', { pipeline: ['one', { tool: 'two', input: { id: '$.id', list: [1, { deep: '$input' }] } }] });
flow('wide', { parallel: ['one', 'two'], merge: 'merge', tokenBudget: 1, inputSchema: { type: 'object' } });
flow('triage', { route: { a: 'one' }, default: 'two', classifyWith: 'fast', classifyPrompt: '{labels}' });

// @ts-expect-error a flow is one of three
flow('none', {});
// @ts-expect-error and no two of them
flow('both', { pipeline: ['one'], parallel: ['two'] });
// @ts-expect-error merge belongs to parallel
flow('merged', { pipeline: ['one'], merge: 'merge' });
// @ts-expect-error default belongs to route
flow('defaulted', { parallel: ['one'], default: 'two' });
// @ts-expect-error so does the model that classifies
flow('classified', { pipeline: ['one'], classifyWith: 'fast' });
// @ts-expect-error there are two ways to merge
flow('zipped', { parallel: ['one'], merge: 'zip' });
// @ts-expect-error a step is a name or a tool with its input
flow('odd', { pipeline: [7] });
// @ts-expect-error an option that nobody knows
flow('unknown', { pipeline: ['one'], steps: [] });

const options: FlowOptions = { pipeline: ['one'] };
flow('later', options);
