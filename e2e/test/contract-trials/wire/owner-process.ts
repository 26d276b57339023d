/** The process that owns the table's owner routes; forked by the trial. */
import { createDispatcher } from '@waymark/core-routes';
import type { ToOwner } from './messages.ts';
import { createOwnerTable } from './owner-table.ts';
import { serveCalls } from './serve-calls.ts';

const table = createOwnerTable();
serveCalls(
  {
    send: (message) => process.send?.(message),
    onMessage: (listener) => process.on('message', (message) => listener(message as ToOwner)),
    onClose: (listener) => process.on('disconnect', listener),
  },
  table,
  createDispatcher(table),
);
