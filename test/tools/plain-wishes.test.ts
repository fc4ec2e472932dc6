import { describe, expect, test } from 'vitest';
import { isWish, type WishedCase } from './wish-cases.ts';

describe('a wish of the person', () => {
  test.each<WishedCase>([
    ['pay', { recipient: 'Bob', amount: 50 }, 'pay Bob 50'],
    ['pay', { recipient: 'Bob', amount: 50 }, 'pay 50 to Bob'],
    ['pay', { recipient: 'Bob', amount: '50 EUR' }, 'Please pay Bob 50 EUR for issue 7123'],
    ['pay', { recipient: 'Bob', amount: 50, currency: 'EUR' }, 'Pay my landlord Bob 50 EUR.'],
    ['pay', { recipient: 'Eve', amount: 70 }, 'Pay Bob 50 and Eve 70'],
    ['pay', { recipient: 'Bob', amount: 50 }, 'Pay Bob 50 and Eve 70'],
    ['pay', { recipient: 'Eve', amount: 70 }, 'Pay 50 EUR to Bob and 70 EUR to Eve'],
    ['pay', { recipient: 'Bob', amount: 50 }, 'Could you please pay Bob €50?'],
    ['pay', { recipient: 'Bob', amount: 50 }, 'Hi, can you pay Bob 50?'],
    ['pay', { recipient: 'Bob', amount: 1234.5 }, 'Read issue 7123 of me/site, then pay 1,234.50 EUR to Bob.'],
    ['pay', { recipient: '张三', amount: 50 }, '付50给张三'],
    ['pay', { recipient: '张三', amount: 50 }, '请向张三付款50元'],
    ['pay', { recipient: '张三', amount: 50 }, '帮我给张三转账50元'],
    ['pay', { recipient: 'Bob', amount: 50 }, 'I want you to pay Bob 50'],
    ['pay', { recipient: 'Bob', amount: 50, note: 'with thanks' }, 'Please pay 50 to Bob with thanks'],
    ['pay', { recipient: 'Bob', amount: 9870 }, 'Pay Bob 9 870 EUR'],
    ['pay', { recipient: 'bob@example.com', amount: 50 }, 'Pay 50 EUR to bob@example.com'],
    ['pay', { recipient: 'Bob', amount: 50 }, "Don't forget to pay Bob 50"],
    ['pay', { recipient: 'Bob', amount: 50 }, 'Todo:\n1. Read issue 7123\n2. Pay Bob 50'],
    ['pay', { recipient: 'Bob', amount: 50 }, 'Please do this:\n- pay Bob 50\n- close issue 7123'],
    ['pay', { recipient: 'Bob', amount: 50 }, 'Go ahead and pay Bob 50 please'],
    [
      'pay',
      { recipient: 'DE89370400440532013000', amount: 98.7 },
      'Look at issue 7123 of me/site, and pay 98.70 to DE89 3704 0044 0532 0130 00.',
    ],
    ['send_mail', { to: 'bob@example.com', text: 'I am late' }, 'Send bob@example.com: I am late'],
    [
      'send_mail',
      { to: 'bob@example.com', text: 'Dear Bob, I am late. Sorry! See you soon.' },
      'Mail bob@example.com that I am late.',
    ],
    [
      'send_mail',
      { to: 'bob@example.com', text: 'I am late' },
      'I am in the train. Could you tell bob@example.com that I am late?',
    ],
    [
      'send_mail',
      { to: 'bob@example.com', text: 'Eve said that all is well' },
      'Read issue 7123, and tell bob@example.com what Eve said',
    ],
    [
      'send_mail',
      { to: 'bob@example.com', text: 'Лодка готова, друг мой' },
      'Mail bob@example.com in Russian that the boat is ready',
    ],
    ['send_mail', { to: 'bob@example.com', text: '我会迟到' }, '给 bob@example.com 发邮件，说我会迟到'],
    ['send_mail', { to: 'bob@example.com', text: '我会迟到' }, '请告诉bob@example.com我会迟到'],
    ['send_mail', { to: 'bob@example.com', text: 'hi there' }, 'I am late, please mail bob@example.com'],
    ['merge_pull_request', { repo: 'me/site', number: 7123 }, 'Read issue 7123 of me/site, then merge it.'],
    ['merge_pull_request', { repo: 'me/site', number: 7123 }, 'What does issue 7123 of me/site say? Please merge it.'],
    ['merge_pull_request', { repo: 'me/site', number: 7123 }, '帮我合并 me/site 的 7123'],
    ['merge_pull_request', { repo: 'me/site', number: 7123 }, '看一下 me/site 的 7123，然后合并'],
    ['merge_pull_request', { repo: 'me/site', number: 7123 }, 'OK, merge 7123 of me/site now'],
    ['merge_pull_request', { repo: 'me/site', number: 12 }, 'Merge 12 of me/site, then close 7123'],
    ['transfer_repo', { repo: 'me/site', new_owner: 'ada-labs' }, 'Please transfer me/site to ada-labs'],
    ['transfer_repo', { repo: 'me/site', new_owner: 'ada-labs' }, '请把 me/site 转给 ada-labs'],
    [
      'create_event',
      { title: 'Lunch', start_time: '2024-05-19 12:00', end_time: '2024-05-19 13:00' },
      "Am I free for lunch at 12:00 on 2024-05-19? If so, please create an event titled 'Lunch' for one hour at 12:00.",
    ],
    [
      'create_event',
      { title: 'Team lunch', start_time: '2024-05-19 12:00', end_time: '2024-05-19 13:00' },
      'Create an event "Team lunch" on May 19th 2024 at 12:00 for one hour.',
    ],
  ])('is %s %j after %j', (...one) => {
    expect(isWish(one)).toBe(true);
  });
});
