/**
 * What members of JSON are called: in English, then in German, then in Chinese, a row per meaning; words of one
 * language are divided by commas. The first word is what the row means.
 */
const ROWS = `
name | name,namen | 姓名,名字,名称
first name | vorname | 名
last name,surname | nachname,familienname | 姓,姓氏
person | person | 人物,人员
customer,client | kunde,kundin,kundenname | 客户,顾客,客人
recipient | empfänger,empfängerin | 收件人,收信人,接收人
sender | absender,absenderin | 发件人
author | autor,autorin,verfasser | 作者
contact | ansprechpartner,kontakt | 联系人
company | firma,unternehmen,firmenname | 公司,企业,单位
department | abteilung | 部门
brand | marke | 品牌
manufacturer | hersteller | 厂家,制造商
restaurant | restaurant,lokal,gaststätte | 餐厅,餐馆,饭店
hotel | hotel | 酒店,宾馆
shop | laden,geschäft | 商店,店铺
city | stadt,ort,wohnort | 城市,城,居住地
country | land,staat | 国家
place | ort | 地点,位置,地方
address | adresse,anschrift | 地址
street | straße,strasse | 街道
origin | abfahrtsort,startort,herkunft,abflugort | 出发地,起点
destination | ziel,zielort,reiseziel | 目的地,终点
email | e-mail,mailadresse,e-mail-adresse,mail | 邮箱,邮件地址,电子邮件,电子邮箱
phone,telephone | telefon,telefonnummer,handynummer,rufnummer | 电话,电话号码,手机,手机号
website,url | webseite,internetseite | 网址,网站
age | alter | 年龄,岁数
gender | geschlecht | 性别
job,profession | beruf,tätigkeit | 职业,职位
birth date,birthday | geburtsdatum,geburtstag | 出生日期,生日
date | datum,termin | 日期,日子
time | uhrzeit,zeit | 时间
year | jahr,baujahr,erscheinungsjahr | 年份,年
month | monat | 月份
weekday | wochentag | 星期
start date | startdatum,beginn,anfangsdatum | 开始日期
end date | enddatum | 结束日期
check in | anreise,anreisedatum,einchecken | 入住日期,入住
check out | abreise,abreisedatum,auschecken | 退房日期,退房,离店日期
departure date | abflugdatum,hinreise,hinflug,abfahrtsdatum | 出发日期
return date | rückreise,rückflug,rückreisedatum,rückgabedatum | 返回日期,返程日期
due date | fälligkeitsdatum,fällig,frist,fälligkeit | 到期日,截止日期,付款期限
invoice date | rechnungsdatum | 开票日期
order date | bestelldatum | 下单日期
delivery date | lieferdatum,liefertermin | 送货日期,交货日期
product | produkt,artikel,ware,erzeugnis | 产品,商品,物品
quantity | menge,anzahl,stückzahl | 数量,个数,件数
unit | einheit | 单位
price | preis,kosten | 价格,单价,售价
amount | betrag,summe | 金额,数额
total | gesamtbetrag,gesamtsumme,gesamt | 总额,总价,合计,总金额
currency | währung | 货币,币种
discount | rabatt | 折扣
weight | gewicht | 重量
height | höhe,größe | 高度,身高
width | breite | 宽度
length | länge | 长度
size | größe | 尺寸,大小,尺码
temperature | temperatur | 温度,气温
distance | entfernung,strecke | 距离
duration | dauer | 时长,持续时间
nights | nächte,übernachtungen | 晚数,住几晚
guests | gäste,personenzahl,personen | 人数,客人数
rating | bewertung,sterne | 评分,星级
color,colour | farbe | 颜色
order id | bestellnummer,auftragsnummer | 订单号,订单编号
invoice number | rechnungsnummer | 发票号,发票号码,发票编号
customer number | kundennummer | 客户号,客户编号
id,number | nummer,kennung | 编号,号码
title | titel,überschrift | 标题,题目,书名
subject | betreff | 主题,邮件主题
topic | thema | 话题,主题
body | nachrichtentext,mailtext | 正文
message | nachricht,mitteilung | 消息,信息,留言
text | text,inhalt | 内容,文本
summary | zusammenfassung | 摘要,总结,概要
description | beschreibung | 描述,说明
reason | grund,begründung | 原因,理由
problem | problem,fehler,mangel | 问题,故障
note | notiz,anmerkung,bemerkung,hinweis | 备注,注意
answer | antwort | 答案,回答
question | frage | 提问
sentiment | stimmung,gefühl,tonfall | 情感,情绪
category | kategorie | 类别,分类
language | sprache | 语言
priority | priorität,dringlichkeit | 优先级
status | status,zustand | 状态
ingredients | zutaten | 材料,配料,食材
cities | städte,orte | 所有城市
names | namen,personen | 所有姓名,人名
countries | länder | 所有国家
numbers | zahlen | 数字
colors | farben | 所有颜色
dates | daten,termine | 所有日期
emails | e-mails,mailadressen,e-mail-adressen | 所有邮箱
keywords,tags | stichwörter,schlagwörter | 关键词,标签
express | express | 加急
urgent | dringend,eilig | 紧急
breakfast | frühstück | 早餐,含早餐
vegetarian | vegetarisch | 素食
gift wrap | geschenkverpackung | 礼品包装
paid | bezahlt | 已付款,已支付
available | verfügbar | 可用,有货
insured | versichert | 保险
`;

export interface PropertyMeaning {
  /** In lower-case English words. */
  meaning: string;
  /** Everything the same thing is called, in the three languages. */
  labels: readonly string[];
}

const meanings: readonly PropertyMeaning[] = ROWS.trim()
  .split("\n")
  .map((row) => {
    const labels = row.split("|").flatMap((cell) => cell.trim().split(","));
    return { meaning: labels[0] ?? "", labels };
  });
const byLabel = new Map<string, PropertyMeaning>();
for (const row of meanings) for (const label of row.labels) if (!byLabel.has(label)) byLabel.set(label, row);
const CHINESE_LABELS = [...byLabel.keys()]
  .filter((label) => /\p{Script=Han}/u.test(label))
  .sort((left, right) => right.length - left.length);
const ENGLISH = new Set(
  ROWS.trim()
    .split("\n")
    .flatMap((row) => (row.split("|")[0] ?? "").trim().split(",")),
);
const GERMAN_ENDINGS = ["datum", "nummer", "adresse", "preis", "name", "betrag", "zeit", "titel"];

/**
 * What a member of this name (in lower-case words) is about: German and Chinese names are put into English, others
 * stay as they are.
 */
export function meaningOfName(name: string): PropertyMeaning {
  const known = byLabel.get(name) ?? byLabel.get(name.replace(/ /g, "-"));
  if (known) return { meaning: ENGLISH.has(name) ? name : known.meaning, labels: known.labels };
  if (/\p{Script=Han}/u.test(name)) {
    const inside =
      CHINESE_LABELS.find((label) => label.length > 1 && name.endsWith(label)) ??
      CHINESE_LABELS.find((label) => label.length > 1 && name.includes(label));
    const row = inside === undefined ? undefined : byLabel.get(inside);
    return { meaning: row?.meaning ?? name, labels: [name] };
  }
  const ending = GERMAN_ENDINGS.find((end) => name.endsWith(end) && name.length > end.length + 2);
  const row = ending === undefined ? undefined : byLabel.get(ending);
  // "Start name" is English, "startname" is not.
  if (row && ending !== undefined && !name.includes(" "))
    return { meaning: `${name.slice(0, -ending.length).trim()} ${row.meaning}`, labels: [name] };
  return { meaning: name, labels: [name] };
}
