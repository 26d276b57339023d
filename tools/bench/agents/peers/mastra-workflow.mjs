// Mastra's workflows as its documentation shows. @param storage where snapshots of its runs go; memory without one
import { Mastra } from '@mastra/core';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { z } from 'zod';
import { addOne, steps } from '../../flows/work.ts';

const counted = z.object({ n: z.number().int() });

const stepOf = (id) =>
  createStep({
    id,
    inputSchema: counted,
    outputSchema: counted,
    execute: ({ inputData }) => addOne(inputData),
  });

export function makeWorkflows(storage) {
  const ids = Array.from({ length: steps }, (_, i) => `step-${i}`);
  let row = createWorkflow({ id: 'row', inputSchema: counted, outputSchema: counted });
  for (const id of ids) row = row.then(stepOf(id));
  const all = createWorkflow({
    id: 'all',
    inputSchema: counted,
    outputSchema: z.record(z.string(), counted),
  });
  const mastra = new Mastra({
    workflows: { row: row.commit(), all: all.parallel(ids.map(stepOf)).commit() },
    logger: false,
    ...(storage && { storage }),
  });
  const start = async (name, n) => {
    const run = await mastra.getWorkflow(name).createRun();
    const { status, result } = await run.start({ inputData: { n } });
    if (status !== 'success') throw new Error(`the workflow ended ${status}`);
    return result;
  };
  return {
    pipeline: async (n) => (await start('row', n)).n,
    parallel: async (n) => Object.values(await start('all', n)).map((one) => one.n),
  };
}
