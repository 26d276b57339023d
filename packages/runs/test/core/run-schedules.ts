/** Runs schedules of the core, and prints what happened in them: `run-schedules.ts <first seed> <count>`. */
import { runSchedules } from './schedule.ts';

const [firstSeed, count] = process.argv.slice(2).map(Number);
process.stdout.write(`${JSON.stringify(runSchedules(firstSeed ?? 0, count ?? 0))}\n`);
