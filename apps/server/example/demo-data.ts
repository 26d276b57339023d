import type { Plugin, SqlDatabase } from '@waymark/server';

/** Puts the first customers and tickets into a desk that never had any. */
export function demoData(database: SqlDatabase): Plugin {
  return {
    name: 'demo-data',
    routes: [],
    needs: ['database'],
    async start() {
      const [desk] = await database.many('select count(*) as customers from customers');
      if (desk?.['customers'] !== 0) return;
      await database.write([
        {
          sql: `insert into customers (id, name, plan) values
            (1, 'Ada Hartmann', 'business'), (2, 'Bruno Silva', 'free')`,
        },
        {
          sql: `insert into tickets (title, body, status, urgent, customer) values
            ('Printer on fire', 'It started after the update. There is smoke.', 'open', 1, 1),
            ('Password forgotten', 'I am locked out of the portal since this morning.', 'open', 0, 2),
            ('Invoice shows twice', 'March was billed twice. Please refund one.', 'closed', 0, 1)`,
        },
      ]);
    },
  };
}
