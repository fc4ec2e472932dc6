import { expect, test } from 'vitest';
import { createToolSearch } from '../../src/tools/tool-search.ts';
import type { ToolDefinition } from '../../src/transcript.ts';
import { daemonSetting } from '../support/daemon-setting.ts';

/** As servers describe their tools: name, description, parameters. */
const foreign: readonly ToolDefinition[] = [
  ['weather_get_forecast', 'Returns the forecast for a city.', 'city days'],
  ['weather_get_alerts', 'Returns severe weather alerts of a state.', 'state'],
  ['github_create_issue', 'Create a new issue in a GitHub repository.', 'owner repo title body'],
  ['github_list_pull_requests', 'List pull requests of a repository.', 'owner repo state'],
  ['github_add_issue_comment', 'Add a comment to an existing issue.', 'issue_number body'],
  ['gmail_sendEmail', 'Sends an e-mail from your account.', 'to subject body'],
  ['gmail_searchEmails', 'Finds e-mails by Gmail query.', 'query max'],
  ['calendar_create_event', 'Adds an event to the calendar.', 'title start end attendees'],
  ['bank_transfer', 'Transfers money to an account.', 'iban amount reference'],
  ['home_set_light', 'Switches a lamp on or off and sets its brightness.', 'room on level'],
  ['home_set_heating', 'Sets the temperature of a room.', 'room degrees'],
  ['db_run_sql', 'Runs a SQL statement against the database.', 'statement'],
  ['maps_directions', 'Computes the route between two places.', 'from to mode'],
  ['pic_generate', 'Creates an image from a text.', 'prompt size'],
  ['konto_buchungen', 'Zeigt die letzten Buchungen des Kontos.', 'anzahl'],
  ['ticket_query', '查询火车票余票，按出发站、到达站和日期。', 'from_station to_station date'],
  ['ticket_order', '预订火车票。', 'train seat'],
  ['yoyaku_restaurant', 'レストランの席を予約します。', 'name time people'],
  ['taxi_call', '택시를 부릅니다.', 'from to'],
].map(([name = '', description = '', parameters = '']) => ({
  name,
  description,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(parameters.split(' ').map((key) => [key, { type: 'string' }])),
  },
}));

/** Those, and all builtin tools. */
async function allTools(): Promise<readonly ToolDefinition[]> {
  const { channel, model } = await daemonSetting();
  await channel.ask('hello', 'echo: hello');
  return [...model.last.tools, ...foreign];
}

/** What is looked for, and the tool that is wanted. */
const wanted: Readonly<Record<string, readonly (readonly [query: string, name: string])[]>> = {
  names: [
    ['edit_file', 'edit_file'],
    ['Edit_File', 'edit_file'],
    ['gmail_sendemail', 'gmail_sendEmail'],
    ['please give me memory_forget', 'memory_forget'],
  ],
  english: [
    ['what will the weather be tomorrow', 'weather_get_forecast'],
    ['open a bug ticket on github', 'github_create_issue'],
    ['reply to an issue', 'github_add_issue_comment'],
    ['send mail', 'gmail_sendEmail'],
    ['look up old emails', 'gmail_searchEmails'],
    ['book a meeting', 'calendar_create_event'],
    ['pay a bill', 'bank_transfer'],
    ['turn on the lights', 'home_set_light'],
    ['heating', 'home_set_heating'],
    ['query the database', 'db_run_sql'],
    ['navigation to the station', 'maps_directions'],
    ['draw a picture', 'pic_generate'],
    ['change text in a file', 'edit_file'],
    ['grep', 'search_files'],
    ['reminder', 'remind'],
    ['cron job', 'schedule'],
    ['read pdf', 'read_document'],
    ['browse the internet', 'web_fetch'],
    ['run bash commands', 'shell'],
    ['forget what was remembered', 'memory_forget'],
    ['Buchungen', 'konto_buchungen'],
  ],
  chinese: [
    ['查火车票', 'ticket_query'],
    ['预订火车票', 'ticket_order'],
    ['明天天气怎么样', 'weather_get_forecast'],
    ['发邮件给老板', 'gmail_sendEmail'],
    ['提醒我', 'remind'],
    ['修改文件', 'edit_file'],
    ['在文件里搜索', 'search_files'],
    ['运行命令', 'shell'],
    ['记住我的生日', 'memory_store'],
    ['转账', 'bank_transfer'],
    ['开灯', 'home_set_light'],
    ['生成图片', 'pic_generate'],
    ['数据库查询', 'db_run_sql'],
    ['去机场的路线', 'maps_directions'],
    ['創建日曆會議', 'calendar_create_event'],
  ],
  'japanese and korean': [
    ['レストランを予約', 'yoyaku_restaurant'],
    ['メールを送信', 'gmail_sendEmail'],
    ['ファイルを検索', 'search_files'],
    ['天気', 'weather_get_forecast'],
    ['リマインダー', 'remind'],
    ['택시', 'taxi_call'],
    ['파일 검색', 'search_files'],
    ['메일 보내기', 'gmail_sendEmail'],
    ['날씨 예보', 'weather_get_forecast'],
  ],
};

test.each(Object.entries(wanted))('the tool that is wanted comes first: %s', async (_, cases) => {
  const all = await allTools();
  const search = createToolSearch();
  expect(cases.map(([query]) => [query, search(query, all, 5)[0]?.name])).toEqual(cases);
});

test.each(['', '   ', '!!!', 'the of a', 'xyzzy', '𠮷'])('nothing is found by %j', async (query) => {
  expect(createToolSearch()(query, await allTools(), 5)).toEqual([]);
});

test('several names are found in their order, and nothing besides', async () => {
  const found = createToolSearch()('remind, edit_file; shell remind', await allTools(), 5);
  expect(found.map(({ name }) => name)).toEqual(['remind', 'edit_file', 'shell']);
});

test('a word that all tools have tells nothing beside one that few have', () => {
  const alike = Array.from({ length: 200 }, (_, index) => ({
    name: `acme_get_${index}`,
    description: 'Gets a thing of acme.',
    parameters: { type: 'object', properties: {} },
  }));
  const odd = { ...foreign[7], name: 'acme_get_calendar', description: 'Gets dates.', parameters: {} };
  const found = createToolSearch()('get acme calendar', [...alike, odd], 5);
  expect(found.map(({ name }) => name)).toEqual(['acme_get_calendar']);
});

test('descriptions of any size and form are read without harm', () => {
  const odd: readonly ToolDefinition[] = ['a'.repeat(100_000), '搜'.repeat(50_000), '\ud800 broken', '(?:'].map(
    (description, index) => ({
      name: `odd_${index}`,
      description,
      parameters: { type: 'object', properties: index % 2 === 0 ? {} : ['no object'] },
    }),
  );
  for (const query of ['a'.repeat(100_000), '搜索'.repeat(10_000), 'odd (?: thing', '\ud800'])
    expect(createToolSearch()(query, odd, 5).length).toBeLessThanOrEqual(5);
});
