import { addOne, type MakeWork, steps } from '../work.ts';

/** What anybody would write who needs no journal. */
export const makeWork: MakeWork = () => ({
  pipeline: async (n) => {
    let counted = { n };
    for (let i = 0; i < steps; i++) counted = await addOne(counted);
    return counted.n;
  },
  parallel: async (n) => {
    const all = await Promise.all(Array.from({ length: steps }, () => addOne({ n })));
    return all.map((one) => one.n);
  },
});
