import type { PaintColor } from "./paint-color.js";
import type { Backdrop, Ground, Side, TimeOfDay, Weather } from "./scene.js";

/** What a word of a prompt means to a picture. */
export type WordMeaning =
  | { kind: "figure"; figure: string }
  | { kind: "color"; color: PaintColor }
  | { kind: "count"; count: number }
  | { kind: "side"; side: Side }
  | { kind: "size"; size: number }
  | { kind: "time"; time: TimeOfDay }
  | { kind: "weather"; weather: Weather }
  | { kind: "ground"; ground: Ground }
  | { kind: "backdrop"; backdrop: Backdrop }
  | { kind: "season" }
  | { kind: "background" }
  | { kind: "negation" }
  | { kind: "break" }
  | { kind: "article" }
  | { kind: "relation" };

export const LANGUAGES = ["en", "de", "zh"] as const;
export type Language = (typeof LANGUAGES)[number];

// A row: what is meant | English | German | Chinese. Several meanings are joined by `+`.
const ROWS = `
color red | red,crimson,scarlet | rot,rote,roter,rotes,roten,rotem | 红色,红,赤
color orange | orange | orange,oranger,orangen,orangefarben,orangefarbene,orangefarbener,orangefarbenes | 橙色,橘色,橘红色
color yellow | yellow | gelb,gelbe,gelber,gelbes,gelben | 黄色,黄
color green | green | grün,grüne,grüner,grünes,grünen | 绿色,绿,青色
color teal | teal,turquoise,cyan | türkis,türkise,türkiser,türkises,türkisfarben | 青绿色,蓝绿色,青蓝色
color blue | blue,navy | blau,blaue,blauer,blaues,blauen | 蓝色,蓝
color purple | purple,violet,lilac | lila,violett,violette,violetter,violettes,violetten | 紫色,紫
color pink | pink | rosa,pink,pinke,pinker,pinkes,pinken | 粉色,粉红色,粉红
color brown | brown | braun,braune,brauner,braunes,braunen | 棕色,褐色,咖啡色
color black | black | schwarz,schwarze,schwarzer,schwarzes,schwarzen | 黑色,黑
color white | white | weiß,weiße,weißer,weißes,weißen,weiss,weisse,weisser,weisses,weissen | 白色,白
color grey | grey,gray | grau,graue,grauer,graues,grauen | 灰色,灰
color gold | gold,golden | golden,goldene,goldener,goldenes,goldenen,gold | 金色,金
color silver | silver | silbern,silberne,silberner,silbernes,silber | 银色
color beige | beige,cream | beige | 米色
count 1 | one,single | eins,einzelne,einzelner,einzelnes | 一
count 2 | two,pair of,couple of | zwei,paar | 二,两,一对,一双,俩
count 3 | three,several,some,few | drei,einige,mehrere,ein paar | 三,几,一些
count 4 | four | vier | 四
count 5 | five,group of,bunch of | fünf,gruppe | 五,一群
count 6 | six,half a dozen | sechs | 六
count 7 | seven | sieben | 七
count 8 | eight,many,lots of | acht,viele,vielen | 八,许多,很多
count 9 | nine | neun | 九
count 10 | ten | zehn | 十
count 11 | eleven | elf | 十一
count 15 | fifteen | fünfzehn | 十五
count 20 | twenty | zwanzig | 二十
count 12 | twelve,dozen,a dozen | zwölf,dutzend | 十二,一打
side left | left,left-hand | links,linken,linke,linker | 左边,左侧,左面,左方,左
side right | right,right-hand | rechts,rechten,rechte,rechter | 右边,右侧,右面,右方,右
side center | center,centre,middle | mitte,mittig | 中间,中央,正中
side top | at the top,top | oben | 上方,顶部
side bottom | at the bottom,bottom | unten | 下方,底部
size 0.6 | small,little,tiny,mini | klein,kleine,kleiner,kleines,kleinen,winzig,winzige,winziger,winziges | 小小的,小型,小的
size 1.4 | big,large,huge,giant,enormous | groß,große,großer,großes,großen,riesig,riesige,riesiger,riesiges | 巨大的,巨大,大型,大的
time dawn | dawn,sunrise,morning,daybreak,early morning | morgendämmerung,sonnenaufgang,morgen,morgens,früh | 黎明,日出,清晨,早晨,早上,朝阳,晨光
time day | day,noon,daytime,midday,afternoon,sunny day | tag,mittag,mittags,nachmittag,tagsüber | 白天,中午,正午,下午
time dusk | dusk,sunset,evening,twilight,golden hour | dämmerung,sonnenuntergang,abend,abends,abendlicht,abendrot | 黄昏,夕阳,日落,傍晚,晚霞,落日
time night | night,nighttime,midnight,night-time,at night | nacht,nachts,mitternacht,nächtlich,nächtliche,nächtlichen,nächtlicher | 黑夜,夜晚,夜里,夜间,晚上,深夜,午夜,夜空,夜色,夜景,夜
time night+backdrop stars | starry,starry sky,stars,starlight | sternenhimmel,sterne,sternklare,sternklarer | 星空,繁星,满天星,群星
time night+backdrop moon | moon,moonlight,moonlit,full moon,crescent moon | mond,mondlicht,mondschein,vollmond | 月亮,月光,月球,满月,明月,月下
weather rain | rain,raining,rainy,rainfall,drizzle,shower | regen,regnet,regnerisch,verregnet,regnerischen,regnerischer | 雨中,下雨,大雨,小雨,雨天,雨
weather snow+ground snow | snow,snowy,snowing,snowfall,winter,snow-covered,blizzard | schnee,schneit,verschneit,verschneite,verschneiter,verschneiten,winter,schneebedeckt | 雪地,下雪,雪中,雪景,雪天,冬天,冬日,冬季,雪
weather fog | fog,foggy,mist,misty,haze | nebel,neblig,nebligen,nebliger,dunst | 雾中,大雾,雾气,雾
weather cloudy | cloudy,overcast | bewölkt,wolkig,bedeckt | 多云,阴天
weather storm | storm,stormy,thunderstorm,lightning,thunder | sturm,gewitter,stürmisch,blitz | 暴风雨,雷雨,闪电,风暴
weather wind | windy,wind,breeze | windig,wind | 大风,刮风
backdrop sun | sun,sunny,sunshine,sunlight | sonne,sonnig,sonniger,sonnigen,sonnenschein | 太阳,阳光,晴天,晴朗,烈日
backdrop clouds | clouds,cloud | wolken,wolke | 白云,云朵,云彩,云
backdrop rainbow | rainbow | regenbogen | 彩虹
backdrop mountains | mountains,mountain,hill,hills,alps,peak,peaks,mountain range | berge,berg,bergen,gebirge,alpen,hügel,gipfel | 群山,高山,山脉,山峰,山丘,雪山,远山,山
backdrop city | skyline | skyline | 天际线
backdrop flowers | flowers,wildflowers,blossoms | blumen,blumenwiese,wildblumen | 花丛,花海,鲜花,花田
ground meadow | meadow,grass,field,park,garden,lawn,countryside,farm,farmland,pasture,valley | wiese,gras,feld,park,garten,rasen,bauernhof,weide,tal | 草地,草原,草坪,田野,公园,花园,农场,牧场,山谷
ground sea | sea,ocean,waves,water,at sea,seascape | meer,ozean,wellen,wasser,see | 大海,海上,海面,海洋,海里,海
ground beach | beach,shore,coast,seaside,seashore | strand,küste,ufer | 海滩,沙滩,海边,海岸,岸边
ground lake | lake,river,pond,lakeside,riverside | fluss,teich,bergsee,bach,am see,im see | 湖边,湖面,湖上,河边,湖,河,池塘,江
ground desert | desert,dunes,sand dunes,sahara | wüste,dünen | 沙漠,沙丘,戈壁
ground city | city,street,town,urban,downtown,road,streets,village,town square | stadt,straße,innenstadt,strasse,dorf,straßen,gasse,platz | 城市,街道,街头,马路,城里,都市,街上,村庄,城镇
ground forest | forest,woods,jungle,woodland,rainforest | wald,dschungel,wälder,urwald,regenwald | 森林,树林,丛林,林中,竹林
ground room | room,indoors,kitchen,table,desk,interior,office,living room,bedroom,shelf,floor,cafe,café,restaurant,studio apartment | zimmer,küche,tisch,schreibtisch,innenraum,büro,wohnzimmer,schlafzimmer,regal,boden,café | 房间,室内,厨房,桌子,桌上,书桌,办公室,客厅,卧室,餐桌,地板,咖啡馆,餐厅
ground space+time night+backdrop stars | space,outer space,galaxy,universe,cosmos | weltraum,weltall,all,galaxie,universum | 太空,宇宙,银河,星系
ground studio | logo,icon,product photo,plain,minimalist,minimal,sticker,emblem | logo,symbol,produktfoto,aufkleber,schlicht | 标志,图标,产品图,简约,极简,贴纸
background | background,backdrop | hintergrund,untergrund | 背景,底色
season | autumn,fall foliage,autumnal,fall colors | herbst,herbstlich,herbstlichen,herbstlicher | 秋天,秋日,秋季,秋色
negation | no,without,not,never | ohne,kein,keine,keinen,keiner,nicht | 没有,不要,无
break | and,with,while,plus,next to,beside,behind,near | und,mit,neben,während,sowie,hinter,vor | 和,与,以及,还有,跟,旁边
relation | of | von,neben | 在
article | a,an,the,another | ein,eine,einen,einem,einer,der,die,das,den,dem | 一个,一只,一条,一座,一辆,一朵,一张,一棵,一位,一艘,一匹,一头,一把,一杯,一本
`;

// Words for figures beside the names that emoji have in each language.
const FIGURES = `
kitten=cat | kitten,kitty,cats | kätzchen,kater | 小猫,猫咪,猫
dog | dog,dogs,puppy,pup,hound | hund,welpe,hündchen | 小狗,狗狗,狗,犬
fox | fox,foxes | fuchs,füchse | 狐狸
rabbit | rabbit,bunny,hare | hase,kaninchen,häschen | 兔子,小兔,兔
horse | horse,pony | pferd,pony | 马儿,骏马,马
bird | bird,sparrow,robin | vogel,vögel,spatz | 小鸟,鸟儿,鸟
mouse | mouse,mice | maus,mäuse | 老鼠,小老鼠
wolf | wolf,wolves | wolf,wölfe | 狼
bear | bear,bears | bär,bären | 熊
panda | panda | panda,pandabär | 熊猫,大熊猫
lion | lion | löwe,löwen | 狮子
tiger | tiger | tiger | 老虎
elephant | elephant | elefant,elefanten | 大象
monkey | monkey,ape | affe,affen | 猴子
cow | cow,cattle | kuh,kühe | 奶牛,牛
pig | pig | schwein | 猪
ewe | sheep,lamb | schaf,schafe | 绵羊,羊
chicken | hen,chicken | huhn,hühner,henne | 母鸡,鸡
duck | duck | ente | 鸭子,鸭
goose | goose,geese | gans,gänse | 鹅
fish | fish,goldfish | fisch,goldfisch | 金鱼,鱼
frog | frog | frosch,frösche | 青蛙
butterfly | butterfly,butterflies | schmetterling | 蝴蝶
honeybee | bee | biene | 蜜蜂
dragon | dragon | drache | 龙
dolphin | dolphin | delfin,delphin | 海豚
whale | whale | wal | 鲸鱼,鲸
eagle | eagle,hawk,falcon | adler,falke | 鹰,老鹰
snake | snake | schlange | 蛇
deer | deer,stag | hirsch,reh | 鹿,小鹿
penguin | penguin | pinguin | 企鹅
owl | owl | eule,eulen | 猫头鹰
automobile | car,cars,sedan,vehicle | auto,wagen,pkw,fahrzeug | 汽车,轿车,小汽车,车
racing-car | race car,sports car | rennwagen,sportwagen | 赛车,跑车
bicycle | bike,bicycle,cycle | fahrrad,fahrräder,rad | 自行车,单车
bus | bus | bus | 公交车,巴士
delivery-truck | truck,lorry,van | lastwagen,lkw,lieferwagen,laster | 卡车,货车
locomotive | locomotive,steam train | lokomotive,dampflok | 火车头
train | train | zug,züge | 火车,列车
airplane | plane,airplane,aeroplane,jet,aircraft | flugzeug | 飞机
helicopter | helicopter | hubschrauber | 直升机
rocket | rocket,spaceship,spacecraft | rakete,raumschiff | 火箭,飞船,宇宙飞船
sailboat | sailboat,sailing boat,boat,yacht,boats,sailing ship | segelboot,boot,jacht,segelschiff | 帆船,小船,船
ship | ship,cruise ship,freighter | schiff,kreuzfahrtschiff,dampfer | 轮船,大船
hot-air-balloon | hot air balloon,hot-air balloon,hot air balloons | heißluftballon,heissluftballon,heißluftballons | 热气球
balloon | balloon,balloons | luftballon,ballon,ballons | 气球
house | house,home,cottage,cabin,hut,barn | haus,häuser,hütte,häuschen | 房子,房屋,小屋,屋子,木屋
castle | castle | schloss,burg | 城堡
church | church | kirche | 教堂
tent | tent | zelt | 帐篷
lighthouse | lighthouse | leuchtturm | 灯塔
windmill | windmill | windmühle | 风车
deciduous-tree | tree,trees,oak | baum,bäume,eiche | 大树,树木,树
evergreen-tree | pine,pine tree,fir,spruce | tanne,kiefer,fichte,tannenbaum | 松树,圣诞树
palm-tree | palm,palm tree | palme | 棕榈树,椰子树
cactus | cactus,cacti | kaktus,kakteen | 仙人掌
rose | rose,roses | rose,rosen | 玫瑰花,玫瑰
sunflower | sunflower | sonnenblume | 向日葵
tulip | tulip | tulpe | 郁金香
hibiscus | flower | blume | 一朵花,花朵,花
potted-plant | plant,potted plant,houseplant | pflanze,topfpflanze,zimmerpflanze | 植物,盆栽,绿植
red-apple | apple,apples | apfel,äpfel | 苹果
tangerine | oranges,tangerine,mandarin | orangen,apfelsine,mandarine | 橙子,橘子,桔子
banana | banana | banane | 香蕉
hot-beverage | coffee,cup,cup of coffee,mug,tea,cup of tea,coffee cup | kaffee,tasse,tee,kaffeetasse,tasse kaffee,becher | 咖啡,杯子,咖啡杯,茶,茶杯
birthday-cake | cake,birthday cake | kuchen,torte,geburtstagstorte | 蛋糕,生日蛋糕
pizza | pizza | pizza | 披萨,比萨
bread | bread,loaf | brot | 面包
steaming-bowl | noodles,ramen,soup,bowl of noodles | nudeln,suppe | 面条,拉面,面
rice-bowl=cooked-rice | rice,bowl of rice | reis | 米饭
bottle=baby-bottle | baby bottle | babyflasche | 奶瓶
bottle | bottle,flask,bottles | flasche,flaschen | 瓶子,瓶
wine-glass | wine,wine glass,glass of wine | wein,weinglas | 红酒,酒杯
chair | chair,armchair | stuhl,sessel,stühle | 椅子
couch-and-lamp | sofa,couch | sofa,couch | 沙发
bed | bed | bett | 床
light-bulb | light bulb,bulb,lamp | glühbirne,lampe | 灯泡,灯
laptop | laptop,notebook computer,computer | laptop,computer,rechner | 笔记本电脑,电脑
mobile-phone | phone,smartphone,mobile phone,cell phone | handy,smartphone,telefon,mobiltelefon | 手机,电话
watch | watch,wristwatch | armbanduhr,uhr | 手表
camera | dslr,digital camera | fotoapparat,digitalkamera | 照相机,相机
closed-book | book,books | buch,bücher | 书本,书
running-shoe | shoe,shoes,sneaker,sneakers,trainers | schuh,schuhe,turnschuh,turnschuhe,sneaker | 运动鞋,鞋子,鞋
t-shirt | shirt,t-shirt,tshirt,tee | hemd,t-shirt,shirt | 衬衫,t恤
dress | dress,gown | kleid | 裙子,连衣裙
handbag | handbag,bag | handtasche,tasche | 手提包,包包
top-hat | hat | hut | 帽子
backpack | backpack,rucksack | rucksack | 背包,书包
glasses | glasses,spectacles | brille | 眼镜
umbrella | umbrella | regenschirm,schirm | 雨伞,伞
guitar | guitar | gitarre | 吉他
musical-keyboard | piano,keyboard instrument | klavier | 钢琴
soccer-ball | soccer ball,football | fußball | 足球
ball | ball,sphere,balls | ball,bälle,kugel,kugeln | 球,小球
circle | circle,disc,dot | kreis,kreise,punkt,scheibe | 圆形,圆圈,圆,圆点
square | square,square shape | quadrat,quadrate | 正方形,方形,方块
cube | cube,box | würfel,kiste | 立方体,方盒
rectangle | rectangle | rechteck | 长方形,矩形
triangle | triangle | dreieck,dreiecke | 三角形,三角
star | star | stern | 星星,五角星
red-heart | heart,hearts | herz,herzen | 爱心,心形,红心
robot | robot,android,robots | roboter | 机器人
woman | woman,lady,women,actress | frau,frauen,dame | 女人,女士,女性,妇女
man | man,gentleman,men,guy | mann,männer,herr | 男人,男士,男性
person | person,people,human,figure | person,mensch,menschen,leute | 人物,人们,行人,人
boy | boy,boys | junge,jungen,bub | 男孩,小男孩
girl | girl,girls | mädchen | 女孩,小女孩,姑娘,少女
child | child,children,kid,kids,toddler | kind,kinder | 孩子,小孩,儿童
old-man | old man,grandfather | alter mann,opa,großvater | 老人,爷爷,老爷爷
old-woman | old woman,grandmother | alte frau,oma,großmutter | 奶奶,老奶奶
astronaut | astronaut,cosmonaut,spaceman | astronaut,astronautin,raumfahrer | 宇航员,航天员
ninja | ninja,samurai | ninja,samurai | 忍者,武士
mage | wizard,magician | zauberer,magier | 巫师,魔法师
princess | princess,queen | prinzessin,königin | 公主,女王
prince | prince,king | prinz,könig | 王子,国王
woman-dancing | dancer | tänzerin,tänzer | 舞者
person-running | runner,jogger | läufer,läuferin | 跑步者
person-surfing | surfer | surfer | 冲浪者
ghost | ghost | gespenst,geist | 幽灵,鬼
alien | alien | außerirdischer,alien | 外星人
snowman | snowman | schneemann | 雪人
teddy-bear | teddy,teddy bear | teddy,teddybär | 泰迪熊,玩具熊
wrapped-gift | gift,present | geschenk | 礼物,礼盒
christmas-tree | christmas tree | weihnachtsbaum,christbaum | 圣诞树
key | key | schlüssel | 钥匙
candle | candle | kerze | 蜡烛
fire | fire,campfire,flame | feuer,lagerfeuer,flamme | 火,篝火,火焰
crown | crown | krone | 皇冠
ringed-planet | planet,saturn | planet,saturn | 行星,土星
globe-showing-europe-africa | earth,globe | erde,globus | 地球
tractor | tractor | traktor | 拖拉机
motorcycle | motorcycle,motorbike | motorrad | 摩托车
dumpling | dumplings,dumpling | teigtaschen | 饺子
lantern=red-paper-lantern | lantern | laterne | 灯笼
t-rex | dinosaur,t-rex,dino | dinosaurier,dino | 恐龙
unicorn | unicorn | einhorn | 独角兽
`;

/** The meanings of words, per language, those of figures included. */
export function readSceneWords(): Record<Language, Map<string, WordMeaning[]>> {
  const words = { en: new Map(), de: new Map(), zh: new Map() } as Record<
    Language,
    Map<string, WordMeaning[]>
  >;
  for (const row of rowsOf(ROWS)) {
    const meanings = row.name.split("+").map(readMeaning);
    for (const language of LANGUAGES) for (const word of row[language]) words[language].set(word, meanings);
  }
  for (const row of rowsOf(FIGURES)) {
    const figure = row.name.split("=").at(-1) ?? row.name;
    for (const language of LANGUAGES) {
      for (const word of row[language]) {
        if (!words[language].has(word)) words[language].set(word, [{ kind: "figure", figure }]);
      }
    }
  }
  return words;
}

function rowsOf(table: string) {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", ...columns] = line.split("|").map((cell) => cell.trim());
      const [en = [], de = [], zh = []] = columns.map((cell) => cell.split(","));
      return { name, en, de, zh };
    });
}

function readMeaning(text: string): WordMeaning {
  const [kind = "", value = ""] = text.split(" ");
  if (value === "") return { kind } as WordMeaning;
  return {
    kind,
    [kind]: kind === "count" || kind === "size" ? Number(value) : value,
  } as unknown as WordMeaning;
}
