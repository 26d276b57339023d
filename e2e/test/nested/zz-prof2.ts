import { randoms } from '../runs/sample.ts';
import { endureProgram } from './endure-program.ts';

const seed = Number(process.argv[2]);
const n = Number(process.argv[3]);
const random = randoms(seed);
const total = { runs: 0, steps: 0, crashes: 0 };
let failed = 0;
for (let i = 0; i < n; i++)
  try {
    const r = await endureProgram(random, i, 16);
    total.runs += r.runs;
    total.steps += r.steps;
    total.crashes += r.crashes;
  } catch (e) {
    failed++;
    console.log('FAILED', i, String(e).slice(0, 3000));
  }
console.log('seed', seed, n, total, { failed });
