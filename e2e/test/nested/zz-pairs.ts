import { randoms } from '../runs/sample.ts';
import { endure, policies } from './endure.ts';
import { nestedShapes } from './shapes.ts';

const random = randoms(Number(process.argv[2]));
const until = Date.now() + Number(process.argv[3]) * 1000;
let n = 0,
  failed = 0;
while (Date.now() < until) {
  const shape = nestedShapes[Math.floor(random() * nestedShapes.length)]!;
  const policy = policies[Math.floor(random() * policies.length)]!;
  const deaths = Array.from({ length: 2 + Math.floor(random() * 2) }, () => 1 + Math.floor(random() * 90));
  try {
    await endure({ shape, policy, deaths });
  } catch (e) {
    failed++;
    console.log('FAILED', String(e).slice(0, 2500));
  }
  n++;
}
console.log({ n, failed });
