"""The topics of the generated forum; to extend them, add a ``Topic``."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """One subject of conversation.

    Attributes:
        category: section of the forum.
        things: subjects of questions.
        places: recommendations in good answers.
        facts: sentences that show knowledge of the subject.
    """

    category: str
    things: tuple[str, ...]
    places: tuple[str, ...]
    facts: tuple[str, ...]


TOPICS = (
    Topic(
        "Finance",
        ("a car loan", "a savings account", "a credit card", "a transfer to my home country", "a personal loan"),
        ("Pearl Bank", "Corniche Savings", "Desert Trust", "the exchange house in Souq Najma", "Gulf Mutual"),
        (
            "They ask for a salary certificate and three months of statements.",
            "The rate is fixed and there is no fee if you pay early.",
            "Without a residence permit no branch will open the file.",
            "The transfer arrives the next working day.",
        ),
    ),
    Topic(
        "Education",
        ("a primary school", "a nursery", "an evening course in Arabic", "a piano teacher", "a secondary school"),
        ("Palm Grove Academy", "Little Oryx Nursery", "the Lighthouse Institute", "Al Waha School", "Dune College"),
        (
            "The waiting list opens in February and closes within a week.",
            "Fees are paid per term and the bus is extra.",
            "Most teachers there are qualified abroad and classes are small.",
            "Children sit an entrance test in English and maths.",
        ),
    ),
    Topic(
        "Cars and driving",
        ("a driving licence", "a used jeep", "car insurance", "a garage for brakes", "a parking fine"),
        (
            "Falcon Motors",
            "the traffic department in Al Madina",
            "Oasis Garage",
            "street 14 of the industrial area",
            "Karim's workshop",
        ),
        (
            "Bring the translated licence, two photos and the eye test.",
            "Check the chassis number before you pay anything.",
            "The inspection takes an hour if you arrive before seven.",
            "Third party cover is the minimum that the law accepts.",
        ),
    ),
    Topic(
        "Visas and permits",
        ("a family visa", "a business visa", "an exit permit", "a sponsor transfer", "a visit visa for my parents"),
        (
            "the immigration office near the airport",
            "gate 3 of the ministry",
            "the online portal",
            "your sponsor's desk",
            "the service centre at Al Rayah mall",
        ),
        (
            "The certificate must be attested by the embassy first.",
            "It takes four working days once the medical is done.",
            "The minimum salary on the contract decides, not the allowance.",
            "Extensions are possible twice, then the visitor has to leave.",
        ),
    ),
    Topic(
        "Housing",
        (
            "a studio flat",
            "a villa to share",
            "a compound with a pool",
            "a landlord who keeps the deposit",
            "moving furniture",
        ),
        (
            "Lagoon Towers",
            "the compounds behind Salwa junction",
            "Al Noor Estates",
            "Jasmine Gardens",
            "the rental disputes committee",
        ),
        (
            "Rents there fell since the new towers opened.",
            "Insist on a contract that is registered with the municipality.",
            "Water and electricity are included, internet is not.",
            "One month of deposit is usual and two is too much.",
        ),
    ),
    Topic(
        "Food and dining",
        ("a biryani place", "fresh fish", "a birthday cake", "a quiet cafe", "vegetarian food"),
        ("Saffron Corner", "the fish market at the old port", "Cardamom House", "Cafe Marsa", "Mama Leila"),
        (
            "Go before noon, the good things are sold out by one.",
            "They deliver within the ring road for free.",
            "The set menu feeds two and the bread comes hot.",
            "Book a table on weekends or expect to queue.",
        ),
    ),
    Topic(
        "Health",
        ("a dentist", "a children's doctor", "an eye clinic", "a back pain specialist", "a blood test"),
        ("Crescent Clinic", "Dr. Hanan at Al Shifa", "the health centre on C ring", "Blue Wave Dental", "Sidra Lane"),
        (
            "With the health card you pay next to nothing.",
            "Ask for an appointment by phone, walk-ins wait for hours.",
            "The doctor explains everything and does not push treatments.",
            "Results come by message on the same day.",
        ),
    ),
    Topic(
        "Sports and leisure",
        ("a gym for women", "a running club", "swimming lessons", "a desert camp", "a cricket team"),
        ("Aspire Hall", "the Corniche runners", "Dolphin Pool", "Singing Dune Camp", "the fields behind Khalid park"),
        (
            "Membership is by the month and you can freeze it in summer.",
            "Beginners meet on Tuesday evenings at the north gate.",
            "Bring water, a torch and a second car for the sand.",
            "Coaches are certified and groups have six people at most.",
        ),
    ),
)
