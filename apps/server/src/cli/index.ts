export { main } from './main.ts';
export { run } from './run.ts';
