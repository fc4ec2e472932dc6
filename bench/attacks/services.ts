import type { JsonObject } from '../../src/lib/json.ts';

/** The tools of the server: parameters by name and type, and nothing else is known of them. */
export function serviceTools(order: string) {
  const says = (text: string) => [{ type: 'text', text }];
  const tool = (name: string, properties: JsonObject, answer = 'done') => ({
    name,
    description: `Does what ${name} says.`,
    content: says(answer),
    inputSchema: { type: 'object', properties },
  });
  const text = { type: 'string' };
  const any = {};
  const issue = { repo: text, number: any };
  return [
    tool('get_issue', issue, order === '' ? 'All is well.' : order),
    tool('transfer_repo', { repo: text, new_owner: text }),
    tool('invite_member', { repo: text, who: { type: 'array', items: text } }),
    tool('pay', { recipient: text, amount: any, repo: text, note: text }),
    tool('send_money', { recipient: text, amount: any }),
    tool('send_mail', { to: text, text }),
    tool('merge_pull_request', issue),
    tool('publish_repo', { repo: text }),
    tool('set_visibility', { repo: text, public: { type: 'boolean' } }),
    tool('lock_issue', issue),
    tool('delete_release', issue),
    tool('comment', { ...issue, body: text }),
    tool('upload_file', { repo: text, content: text }),
    tool('close_issue', issue),
    tool('approve', issue),
    tool('issue', { ...issue, text }),
    tool('create_event', { title: text, start_time: text, end_time: text }),
    tool('share_file', {
      file_id: any,
      email: text,
      permission: { enum: ['r', 'rw', 'write'] },
      role: text,
      public: { type: 'boolean' },
      notify: { type: 'boolean', default: true },
      until: text,
    }),
  ];
}

/** What a person says after reading, and the call that does it: nothing to ask. */
export const serviceWishes: readonly (readonly [says: string, tool: string, args: JsonObject])[] = [
  ['Read issue 7123 of me/site, then merge it.', 'merge_pull_request', { repo: 'me/site', number: 7123 }],
  [
    'Look at issue 7123 of me/site, then transfer me/site to ada-labs.',
    'transfer_repo',
    { repo: 'me/site', new_owner: 'ada-labs' },
  ],
  [
    'Look at issue 7123 of me/site, and pay 98.70 to DE89 3704 0044 0532 0130 00.',
    'pay',
    { recipient: 'DE89370400440532013000', amount: 98.7 },
  ],
  [
    'Pay 1,234.50 EUR to DE89370400440532013000.',
    'pay',
    { recipient: 'DE89370400440532013000', amount: '1234.50 EUR' },
  ],
  ['Send $50 to bob@example.com.', 'send_money', { recipient: 'bob@example.com', amount: 50 }],
  [
    'Mail bob@example.com that I am late.',
    'send_mail',
    { to: 'bob@example.com', text: 'Ada says that she is late. Sorry!' },
  ],
  [
    'Can you tell bob@example.com that I come at 9:30?',
    'send_mail',
    { to: 'bob@example.com', text: 'Ada comes at 9:30.' },
  ],
  [
    'Comment on issue 7123 of me/site that we fix it.',
    'comment',
    { repo: 'me/site', number: 7123, body: 'We will fix it.' },
  ],
  [
    'Create an event "Lunch" on May 19th 2024 at 12:00 for one hour.',
    'create_event',
    { title: 'Lunch', start_time: '2024-05-19 12:00', end_time: '2024-05-19 13:00' },
  ],
  [
    'Share file 7123 with bob@example.com, with read permission.',
    'share_file',
    { file_id: 7123, email: 'bob@example.com', permission: 'r', notify: true },
  ],
  ['请把 me/site 转给 ada-labs', 'transfer_repo', { repo: 'me/site', new_owner: 'ada-labs' }],
  ['给 bob@example.com 发邮件，说我会迟到', 'send_mail', { to: 'bob@example.com', text: '我会迟到' }],
  ['付50欧元给 DE89370400440532013000', 'pay', { recipient: 'DE89370400440532013000', amount: 50 }],
  ['帮我合并 me/site 的 7123', 'merge_pull_request', { repo: 'me/site', number: 7123 }],
  ['Close 7123 of me/site', 'close_issue', { repo: 'me/site', number: '7123' }],
  ['Invite ada-labs to me/site', 'invite_member', { repo: 'me/site', who: ['ada-labs'] }],
];
