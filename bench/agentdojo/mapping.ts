/**
 * The operator's settings for AgentDojo's tools: category, private results, untrusted results and targets. Written for
 * the tools, without regard to tasks and injections.
 */
type ToolWords = Readonly<Record<string, object>>;

/** Reads the person's own data, which others can write into; sends nothing outside the service. */
const reads = { category: 'network_read', private: true, outbound: false } as const;
/** Reads data that only the person or the service writes. */
const ownReads = { ...reads, trusted: true } as const;
/** Looks up public data. */
const looksUp = { category: 'network_read', outbound: false } as const;
const writes = { category: 'network_write' } as const;
const destroys = { category: 'destructive' } as const;

const mailAndCalendar: ToolWords = {
  delete_email: destroys,
  cancel_calendar_event: destroys,
  send_email: { ...writes, targets: ['recipients', 'cc', 'bcc', 'attachments'], trusted: true },
  create_calendar_event: { ...writes, targets: ['participants'], trusted: true },
  search_calendar_events: reads,
  get_day_calendar_events: reads,
};

export const mapping: Readonly<Record<string, ToolWords>> = {
  workspace: {
    ...mailAndCalendar,
    delete_file: destroys,
    create_file: { ...writes, trusted: true },
    get_current_day: { ...ownReads, private: false },
    get_sent_emails: ownReads,
    get_draft_emails: ownReads,
    'search_contacts_*': ownReads,
    'get_*': reads,
    'search_*': reads,
    'list_*': reads,
    '*': writes,
  },
  travel: {
    ...mailAndCalendar,
    get_user_information: ownReads,
    'get_*': looksUp,
    'check_*': looksUp,
    '*': writes,
  },
  banking: {
    get_iban: ownReads,
    get_balance: ownReads,
    get_user_info: ownReads,
    get_scheduled_transactions: ownReads,
    'get_*': reads,
    read_file: reads,
    update_password: { ...writes, targets: ['password'] },
    update_user_info: { ...writes, targets: ['first_name', 'last_name', 'street', 'city'] },
    '*': { ...writes, targets: ['id', 'recipient'] },
  },
  slack: {
    remove_user_from_slack: destroys,
    // The service itself lists the members of a channel; names of channels are chosen by their makers.
    get_users_in_channel: ownReads,
    get_channels: { ...reads, trusted: 'names' },
    // Also reads pages that only members may see.
    get_webpage: { category: 'network_read', private: true },
    'get_*': reads,
    'read_*': reads,
    'send_*': { category: 'messaging' },
    '*': writes,
  },
};
