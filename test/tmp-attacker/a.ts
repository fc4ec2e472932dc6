import { ownerId, SlackSetting, team } from '../e2e/slack-setting.ts';
import { setTimeout as pause } from 'node:timers/promises';
const s = await SlackSetting.start({ config: { delivery: { tool_cards: true }, log:{level:'debug'} } });
const { slack, model } = s;
const bot = `<@${slack.home.installation.botUserId}>`;
function dump(title: string, ch: string) {
  console.log(`\n=== ${title} (${ch})`);
  for (const m of slack.chat(ch)) console.log(`  [${m.from}${m.threadTs ? ' in ' + m.threadTs.slice(-6) : ''} ${m.ts.slice(-6)} e${m.edits} ${m.streaming ?? ''}] ${JSON.stringify(m.text).slice(0, 700)} ${m.buttons.map(b=>b.label).join('|')}`);
  for (const e of slack.home.ephemerals(ch)) console.log(`  [eph to ${e.userId}${e.threadTs?' in '+e.threadTs.slice(-6):''}] ${JSON.stringify(e.text).slice(0, 900)}`);
}
try {
  slack.home.addChannel(team, { name: 'team', members: [ownerId(0), 'U0EVE', 'U0BEN'] });
  slack.home.addChannel('C0OTHER', { name: 'other', members: [ownerId(0), 'U0EVE'] });
  const dm = s.newOwner();
  // slash commands
  for (const [ch, t, from] of [[team,'',ownerId(0)],[team,'stop',ownerId(0)],[team,'status',ownerId(0)],[team,'please do something',ownerId(0)],[team,'approve ABCD',ownerId(0)],[team,'help','U0EVE'],['C0OTHER','help','U0EVE'],['C0OTHER','help',ownerId(0)],[dm,'status',ownerId(0)],[dm,'hello you',ownerId(0)],[dm,'new',ownerId(0)],[dm,'tools',ownerId(0)],[dm,'help',ownerId(0)], ['D0EVE','claim 123456','U0EVE'], ['D0EVE','help','U0EVE']] as const) {
    const { delivery } = slack.home.command(ch, '/keyturn', t, { from });
    try { await slack.acknowledged(delivery, 3000);} catch (e) { console.log('NOT ACK', ch, t, String(e).slice(0,200)); }
    await pause(250);
  }
  slack.say('D0EVE', 'hi there', { from: 'U0EVE' });
  await pause(500);
  slack.say('D0EVE', 'hi there 2', { from: 'U0EVE' });
  await pause(500);
  slack.say('C0OTHER', `${bot} hey`, { from: 'U0EVE' });
  slack.say('C0OTHER', `${bot} hey`, { from: ownerId(0) });
  slack.say(team, `${bot}`, { from: ownerId(0) });
  slack.say(team, `${bot} /status`, { from: ownerId(0) });
  slack.say(team, `${bot} /approve nonsense`, { from: 'U0EVE' });
  await pause(1500);
  dump('team', team); dump('other', 'C0OTHER'); dump('dm', dm); dump('eve', 'D0EVE');
  console.log(s.daemon.output.split('\n').filter(l=>/"level":(40|50)|WARN|ERROR/i.test(l)).slice(0,20).join('\n'));
} finally { await s.dispose(); }
