// The end of .ci/run: every requirement was proved by a test that ran and passed, in whatever tier.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requirements } from '../requirements.ts';
import { judgeProofs } from './judge-proofs.ts';

const folder = process.env['PROOFS'] ?? '';
const cited = globSync('*.json', { cwd: folder }).flatMap(
  (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as readonly string[], // what the reporter wrote
);
const { proved, required, problems } = judgeProofs(requirements, new Set(cited));
for (const problem of problems) console.error(problem);
console.log(`proved: ${proved} of ${required} requirements`);
process.exitCode = problems.length === 0 ? 0 : 1;
