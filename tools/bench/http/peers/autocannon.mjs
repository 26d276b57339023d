// Sends the load that a file describes, and prints what came of it.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const result = await autocannon(config);
if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx + result.errors} requests failed`);
console.log(
  JSON.stringify({
    requests: result['2xx'],
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }),
);
