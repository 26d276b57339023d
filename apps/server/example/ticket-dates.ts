import type { Plugin, SqlDatabase } from '@waymark/server';

/** Keeps the days on which tickets were opened and closed, whoever does it: by REST, by a tool, or in SQL. */
export function ticketDates(database: SqlDatabase): Plugin {
  return {
    name: 'ticket-dates',
    routes: [],
    needs: ['database'],
    async start() {
      await database.write(statements.map((sql) => ({ sql })));
    },
  };
}

const now = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')";

const statements = [
  'create table if not exists ticket_dates (ticket integer primary key, opened_at text, closed_at text)',
  `create trigger if not exists ticket_opened after insert on tickets begin
    insert or replace into ticket_dates (ticket, opened_at, closed_at)
      values (new.id, ${now}, case new.status when 'closed' then ${now} end);
  end`,
  `create trigger if not exists ticket_changed after update of status on tickets
    when new.status is not old.status begin
    insert or ignore into ticket_dates (ticket) values (new.id);
    update ticket_dates set closed_at = case new.status when 'closed' then ${now} end where ticket = new.id;
  end`,
  `create trigger if not exists ticket_gone after delete on tickets begin
    delete from ticket_dates where ticket = old.id;
  end`,
];
