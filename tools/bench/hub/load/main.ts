// Does the jobs it is told, one after the other: cameras that send, readers that read.
import type { Job, JobResult, LoadMessage } from '../jobs.ts';
import { checkDelivery } from './check-delivery.ts';
import { runIngest } from './run-ingest.ts';
import { runStream } from './run-stream.ts';

const tell = (message: LoadMessage): void => void process.send?.(message);
const begin = (): void => tell({ event: 'begin' });

process.on('message', (job: Job) => {
  void run(job).then((result) => tell({ event: 'end', result }));
});
process.on('disconnect', () => process.exit());

function run(job: Job): Promise<JobResult> {
  switch (job.kind) {
    case 'stream':
      return runStream(job, begin);
    case 'ingest':
      return runIngest(job, begin);
    case 'check':
      return checkDelivery(job.hub);
  }
}
