import { describe, expect, test } from 'vitest';
import { asksForDeed } from '../../src/tools/named-deeds.ts';
import { hasRequest } from '../../src/tools/person-orders.ts';

describe('a message asks for', () => {
  test.each([
    ['send_email', 'Mail Bob that I am late'],
    ['send_email', 'Please send an email to Bob'],
    ['send_email', 'Can you write to Bob?'],
    ['sendMessage', 'Read it, then tell Bob.'],
    ['send_message', 'Let Bob know that I am late'],
    ['send_money', 'Send 50 EUR to Bob'],
    ['send_money', 'Could you pay Bob 50?'],
    ['merge_pull_request', 'Merge 7123'],
    ['merge_pull_request', 'What does it say? Please merge it.'],
    ['merge_pull_request', "Don't forget to merge 7123"],
    ['create_calendar_event', 'I want you to create an event at noon'],
    ['create_calendar_event', 'Add a meeting at noon'],
    ['add_comment', 'Comment on 7123 that we fix it'],
    ['reserve_hotel', 'Go ahead and make a reservation'],
    ['post_webpage', 'Your task is to post it to our page'],
    ['close_issue', 'Close 7123'],
    ['share_file', '1. Read it. 2. Share the file with Bob.'],
    ['memory_store', 'Remember that I like soup'],
    ['remind', 'Remind me to call Mum'],
    ['http-post', 'Post {} to https://x.example/a'],
    ['http-delete', 'Delete https://x.example/a'],
    ['send_email', '给张三发邮件，说我迟到'],
    ['send_message', '请告诉张三我迟到'],
    ['transfer_repo', '把它转给张三'],
    ['pay', '付50给张三'],
    ['merge_pull_request', '能不能帮我合并7123？'],
  ])('%s: %s', (name, message) => {
    expect(asksForDeed(message, name)).toBe(true);
  });
});

describe('a message does not ask for', () => {
  test.each([
    ['merge_pull_request', 'What does issue 7123 say?'],
    ['merge_pull_request', 'Should I merge 7123?'],
    ['merge_pull_request', 'How do I merge 7123'],
    ['merge_pull_request', 'Do not merge 7123'],
    ['merge_pull_request', "Read 7123, but don't merge it"],
    ['merge_pull_request', 'Tell me whether to merge 7123'],
    ['merge_pull_request', 'I saw that you merge 7123'],
    ['add_comment', 'Summarise issue 7123 and comment 5'],
    ['add_comment', 'Summarise the comment of Bob'],
    ['post_status', 'Read the post at https://x.example/a'],
    ['http-post', 'Summarise the title and post of Bob at https://x.example/a'],
    ['http-post', 'Post 12 at https://x.example/a: read it'],
    ['http-put', 'Post {} to https://x.example/a'],
    ['http-delete', 'What is at https://x.example/a'],
    ['send_email', 'Write a poem about Bob'],
    ['send_email', 'Write me a mail from Bob'],
    ['send_money', 'Send Bob a mail that I owe him 50 EUR'],
    ['transfer_and_delete_repo', 'Transfer it to Bob'],
    ['create_calendar_event', 'Create a file'],
    ['update_user', 'Is there an update of the user?'],
    ['frobnicate', 'Please frobnicate it'],
    ['issue', 'Please look at the issue'],
    ['send_email', '张三的邮件说了什么？'],
    ['add_comment', '总结一下张三的评论'],
    ['merge_pull_request', '不要合并7123'],
    ['merge_pull_request', '7123是否合并了'],
  ])('%s: %s', (name, message) => {
    expect(asksForDeed(message, name)).toBe(false);
  });
});

test('a request is no question, but for polite ones', () => {
  expect(['Do it.', 'Could you do it?', 'Please', '帮我看一下'].map(hasRequest)).toEqual([true, true, true, true]);
  expect(['What is it?', 'is it there', 'Never do it', '什么时候'].map(hasRequest)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
