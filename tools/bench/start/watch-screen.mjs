// Loaded into a program before it begins: tells what it has used when its first screen is there, and ends it.
import { tellReady } from './tell-ready.mjs';

const { write } = process.stdout;
process.stdout.write = function (text, ...rest) {
  const done = write.call(this, text, ...rest);
  if (/ is ready in \d+ ms/.test(String(text))) {
    process.stdout.write = write;
    tellReady();
  }
  return done;
};
