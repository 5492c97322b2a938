#!/usr/bin/env python3
"""Writes questions.json: computes the answer to each question with SQLite or plain Python.

make_answers.py            from the folder of this file; needs nothing but the standard library
"""

import csv
import json
import sqlite3
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"


def read(name):
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def load():
    """Flat files as tables of SQLite, with the types that a person would give them."""
    database = sqlite3.connect(":memory:")

    def table(name, rows):
        columns = list(rows[0])
        database.execute(f"CREATE TABLE {name} ({', '.join(chr(34) + c + chr(34) for c in columns)})")
        database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(columns))})",
                             [[row.get(c) for c in columns] for row in rows])

    def typed(row, numbers):
        return {key: (float(value) if key in numbers and value != "" else value) for key, value in row.items()}

    with (DATA / "airports.csv").open(encoding="utf-8", newline="") as file:
        table("airports", [typed(row, {"latitude", "longitude"}) for row in csv.DictReader(file)])
    with (DATA / "weather.csv").open(encoding="utf-8", newline="") as file:
        table("weather", [typed(row, {"precipitation", "temp_max", "temp_min", "wind"}) for row in csv.DictReader(file)])
    table("flights", read("flights.json"))
    table("penguins", read("penguins.json"))
    table("capitals", read("capitals.json"))
    return database


# Question, SQL for Sluice, SQL for SQLite (None: the same).
FLAT = [
    ("How many flights are there?", "SELECT count(*) AS n FROM flights", None),
    ("How many airports has each of the five states with most?",
     "SELECT state, count(*) AS n FROM airports GROUP BY state ORDER BY n DESC, state LIMIT 5", None),
    ("What is the average delay by origin, for the three origins with most flights?",
     "SELECT origin, count(*) AS n, round(avg(delay), 2) AS delay FROM flights GROUP BY origin ORDER BY n DESC, origin LIMIT 3", None),
    ("Which five flights were delayed most?",
     "SELECT date, origin, destination, delay FROM flights ORDER BY delay DESC, date LIMIT 5", None),
    ("What share of flights was more than 15 minutes late, in percent?",
     "SELECT round(100.0 * count(*) FILTER (WHERE delay > 15) / count(*), 2) AS share FROM flights", None),
    ("How many flights left from cities in California?",
     "SELECT count(*) AS n FROM flights JOIN airports ON origin = iata WHERE state = 'CA'", None),
    ("Which five cities do most flights leave from?",
     "SELECT city, count(*) AS n FROM flights JOIN airports ON origin = iata GROUP BY city ORDER BY n DESC, city LIMIT 5", None),
    ("Which pairs of states are connected most often, top three?",
     "SELECT a.state AS from_state, b.state AS to_state, count(*) AS n FROM flights f JOIN airports a ON f.origin = a.iata "
     "JOIN airports b ON f.destination = b.iata GROUP BY a.state, b.state ORDER BY n DESC, a.state, b.state LIMIT 3", None),
    ("How many airports does no flight leave from?",
     "SELECT count(*) AS n FROM airports WHERE iata NOT IN (SELECT origin FROM flights)", None),
    ("Which state capitals have an airport in a city of the same name and state, how many?",
     "SELECT count(DISTINCT c.state) AS n FROM capitals c JOIN airports a ON a.city = c.city", None),
    ("What is the mean delay of flights to New York's airports?",
     "SELECT destination, round(avg(delay), 2) AS delay FROM flights JOIN airports ON destination = iata "
     "WHERE city = 'New York' GROUP BY destination ORDER BY destination", None),
    ("How long is the longest flight and where does it go?",
     "SELECT a.city AS from_city, b.city AS to_city, max(distance) AS miles FROM flights JOIN airports a ON origin = a.iata "
     "JOIN airports b ON destination = b.iata GROUP BY 1, 2 ORDER BY miles DESC, 1, 2 LIMIT 1", None),
    ("How many days of each kind of weather did Seattle have?",
     "SELECT weather, count(*) AS n FROM weather GROUP BY weather ORDER BY n DESC", None),
    ("What was the hottest day, and how hot?",
     "SELECT date, temp_max FROM weather ORDER BY temp_max DESC, date LIMIT 1", None),
    ("How much rain fell each year?",
     "SELECT year(date) AS y, round(sum(precipitation), 1) AS mm FROM weather GROUP BY y ORDER BY y",
     "SELECT CAST(strftime('%Y', date) AS INTEGER) AS y, round(sum(precipitation), 1) AS mm FROM weather GROUP BY y ORDER BY y"),
    ("Which month is wettest on average per day?",
     "SELECT month(date) AS m, round(avg(precipitation), 2) AS mm FROM weather GROUP BY m ORDER BY mm DESC LIMIT 1",
     "SELECT CAST(strftime('%m', date) AS INTEGER) AS m, round(avg(precipitation), 2) AS mm FROM weather GROUP BY m ORDER BY mm DESC LIMIT 1"),
    ("How many days above 30 degrees were there in each year?",
     "SELECT year(date) AS y, count(*) AS n FROM weather WHERE temp_max > 30 GROUP BY y ORDER BY y",
     "SELECT CAST(strftime('%Y', date) AS INTEGER) AS y, count(*) AS n FROM weather WHERE temp_max > 30 GROUP BY y ORDER BY y"),
    ("What is the mean body mass of each species of penguin?",
     'SELECT "Species", round(avg("Body Mass (g)"), 1) AS grams FROM penguins GROUP BY "Species" ORDER BY grams DESC', None),
    ("How many penguins of each species are on each island?",
     'SELECT "Island", "Species", count(*) AS n FROM penguins GROUP BY 1, 2 ORDER BY 1, 2', None),
    ("For how many penguins is the sex not known?",
     'SELECT count(*) AS n FROM penguins WHERE "Sex" IS NULL OR "Sex" NOT IN (\'MALE\', \'FEMALE\')', None),
    ("How much heavier are males than females, by species?",
     'SELECT "Species", round(avg("Body Mass (g)") FILTER (WHERE "Sex" = \'MALE\') - avg("Body Mass (g)") FILTER (WHERE "Sex" = \'FEMALE\'), 1) '
     'AS difference FROM penguins GROUP BY "Species" ORDER BY "Species"', None),
    ("Which capital is farthest north?", "SELECT state, city, lat FROM capitals ORDER BY lat DESC LIMIT 1", None),
    ("How many capitals lie west of Denver?",
     "SELECT count(*) AS n FROM capitals WHERE lon < (SELECT lon FROM capitals WHERE city = 'Denver')", None),
    ("What is the median distance of a flight?",
     "SELECT median(distance) AS miles FROM flights",
     "SELECT avg(distance) AS miles FROM (SELECT distance FROM flights ORDER BY distance LIMIT 2 - (SELECT count(*) FROM flights) % 2 "
     "OFFSET (SELECT (count(*) - 1) / 2 FROM flights))"),
    ("Which origin has the largest difference between its worst and best delay?",
     "SELECT origin, max(delay) - min(delay) AS spread FROM flights GROUP BY origin ORDER BY spread DESC, origin LIMIT 1", None),
    ("How many flights leave in each hour between six and nine in the morning?",
     "SELECT substr(date, 12, 2) AS hour, count(*) AS n FROM flights WHERE substr(date, 12, 2) BETWEEN '06' AND '09' GROUP BY hour ORDER BY hour", None),
    ("How many origins are there with at least 50 flights, and how many flights leave from them?",
     "SELECT count(*) AS origins, sum(n) AS flights FROM (SELECT origin, count(*) AS n FROM flights GROUP BY origin HAVING count(*) >= 50)", None),
    ("What is each species' rank by mean flipper length?",
     'SELECT "Species", rank() OVER (ORDER BY avg("Flipper Length (mm)") DESC) AS place FROM penguins GROUP BY "Species" ORDER BY place', None),
    ("Which states have a capital south of 31 degrees and an airport in that capital?",
     "SELECT c.state, count(*) AS airports FROM capitals c JOIN airports a ON a.city = c.city WHERE c.lat < 31 GROUP BY c.state ORDER BY c.state", None),
    ("How many airports are there in Alaska and in Hawaii?",
     "SELECT state, count(*) AS n FROM airports WHERE state IN ('AK', 'HI') GROUP BY state ORDER BY state", None),
]

CARELESS = [
    ("Show me all airports.", "SELECT * FROM airports"),
    ("Show me all flights with their airports.",
     "SELECT * FROM flights f JOIN airports a ON f.origin = a.iata JOIN airports b ON f.destination = b.iata"),
    ("Show me the weather.", "SELECT * FROM weather"),
    ("Show me the flights.", "SELECT * FROM flights"),
]


def nested():
    """Questions about files that the peers cannot load, answered by plain Python."""
    quakes = read("earthquakes.json")
    orders = read("orders.json")
    visits = [json.loads(line) for line in (DATA / "visits.ndjson").read_text(encoding="utf-8").splitlines()]
    features = quakes["features"]
    strongest = max(features, key=lambda one: one["properties"]["mag"] if one["properties"]["mag"] is not None else -9)
    nets = Counter(one["properties"]["net"] for one in features)
    revenue = defaultdict(float)
    customers = defaultdict(set)
    for order in orders["results"]:
        customers[order["customer"]["country"]].add(order["customer"]["name"])
        for line in order["lines"]:
            revenue[line["item"]] += line["quantity"] * line["price"]
    pages = Counter(page for visit in visits for page in visit["pages"])
    plans = defaultdict(list)
    for visit in visits:
        plans[visit["user"]["plan"]].append(visit["ms"])
    return [
        ("Which earthquake was strongest?",
         "SELECT properties.place AS place, properties.mag AS mag FROM earthquakes ORDER BY mag DESC LIMIT 1",
         [["place", "mag"], [strongest["properties"]["place"], strongest["properties"]["mag"]]]),
        ("Which three networks reported most earthquakes?",
         "SELECT properties.net AS net, count(*) AS n FROM earthquakes GROUP BY net ORDER BY n DESC, net LIMIT 3",
         [["net", "n"]] + [[net, n] for net, n in sorted(nets.items(), key=lambda one: (-one[1], one[0]))[:3]]),
        ("How many earthquakes does the feed say it has?",
         'SELECT metadata.count AS n FROM "earthquakes.about"',
         [["n"], [quakes["metadata"]["count"]]]),
        ("What is the revenue of each item?",
         "SELECT line.item AS item, round(sum(line.quantity * line.price), 2) AS revenue FROM (SELECT unnest(lines) AS line FROM orders) "
         "GROUP BY item ORDER BY revenue DESC",
         [["item", "revenue"]] + [[item, round(sum_, 2)] for item, sum_ in sorted(revenue.items(), key=lambda one: -one[1])]),
        ("How many different customers ordered from each country?",
         "SELECT customer.country AS country, count(DISTINCT customer.name) AS n FROM orders GROUP BY country ORDER BY country",
         [["country", "n"]] + [[country, len(names)] for country, names in sorted(customers.items())]),
        ("Which pages are visited most?",
         "SELECT page, count(*) AS n FROM (SELECT unnest(pages) AS page FROM visits) GROUP BY page ORDER BY n DESC, page",
         [["page", "n"]] + [[page, n] for page, n in sorted(pages.items(), key=lambda one: (-one[1], one[0]))]),
        ("What is the mean time of a visit by plan?",
         'SELECT "user".plan AS plan, round(avg(ms), 1) AS ms FROM visits GROUP BY plan ORDER BY plan',
         [["plan", "ms"]] + [[plan, round(sum(times) / len(times), 1)] for plan, times in sorted(plans.items())]),
    ]


def main():
    database = load()
    out = {"questions": [], "nested": [], "careless": []}
    for question, sql, sqlite in FLAT:
        cursor = database.execute(sqlite or sql)
        rows = [[one[0] for one in cursor.description]] + [list(row) for row in cursor]
        out["questions"].append({"question": question, "sql": sql, "sqlite": sqlite or sql, "answer": rows})
    for question, sql, rows in nested():
        out["nested"].append({"question": question, "sql": sql, "answer": rows})
    for question, sql in CARELESS:
        out["careless"].append({"question": question, "sql": sql})
    (HERE / "questions.json").write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


main()
