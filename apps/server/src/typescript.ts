import { runsTypeScript, typeScriptAdvice } from './cli/load/node-version.ts';

// `node --import @waymark/server/typescript --eval 0` fails on a Node whose test runner would find no TypeScript, and call that a success.
if (!runsTypeScript()) {
  console.error(`Node ${process.versions.node} does not run TypeScript; ${typeScriptAdvice(process.cwd())}`);
  process.exit(1);
}
